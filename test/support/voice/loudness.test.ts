import { fromMuLaw, lineRate, toMuLaw } from '@outdial/voice/sound';
import { expect, test } from 'vitest';
import { atLoudness, decibelsOverNoise, framesOf, lineNoise, seconds } from './loudness.ts';
import { tone } from './speech.ts';

test('the noise of a line is as loud as intended', () => {
  const voiceLoudness = 5_000;
  const said = atLoudness(tone(600, 2_000), voiceLoudness);
  const noiseSeconds = 20;
  const line = toMuLaw(Int16Array.from([...new Int16Array(noiseSeconds * lineRate), ...said]));
  const addNoise = lineNoise(voiceLoudness / Math.sqrt(10));
  const recorded = Int16Array.from(framesOf(line).flatMap((frame) => [...fromMuLaw(addNoise(frame))]));
  const noise = seconds(recorded, 0, noiseSeconds);
  const decibels = decibelsOverNoise({
    said,
    recorded: seconds(recorded, noiseSeconds, noiseSeconds + 2),
    noise,
  });
  expect(Math.abs(decibels - 10)).toBeLessThan(1);
});
