import { describe, expect, test } from 'vitest';
import { createBeepDetector } from './beep-detector.ts';
import { framesOf, silence, tone, twoTones, vowels } from './sound.fixture.ts';

/** The ends of the detected beeps, in milliseconds. */
function beepsIn(...sounds: readonly Int16Array[]): number[] {
  const detector = createBeepDetector();
  return [...framesOf(...sounds)].flatMap((frame, index) =>
    detector.take(frame) === null ? [] : [(index + 1) * 20],
  );
}

describe('the beep of a mailbox', () => {
  test.each([400, 440, 620, 850, 1_000, 1_400, 2_000])('is detected as it ends, at %i Hz', (hz) => {
    const [endedAt, ...more] = beepsIn(vowels(2_000), silence(300), tone(hz, 500), silence(500));
    expect(endedAt).toBeGreaterThanOrEqual(2_800);
    expect(endedAt).toBeLessThanOrEqual(2_860);
    expect(more).toEqual([]);
  });

  test('is detected on a noisy line, short or long', () => {
    expect(beepsIn(tone(1_000, 180, 20), silence(100))).toHaveLength(1);
    expect(beepsIn(tone(1_000, 2_500, 20), silence(100))).toHaveLength(1);
  });

  test.each([90, 120, 180, 220, 300])('is not detected in a voice with a pitch of %i Hz', (pitchHz) => {
    expect(beepsIn(vowels(10_000, { pitchHz }), silence(200))).toEqual([]);
  });

  test('is not detected in keys, ringing tones, clicks, faxes or silence', () => {
    expect(beepsIn(twoTones(770, 1_336, 400), silence(100))).toEqual([]);
    expect(beepsIn(twoTones(440, 480, 1_000), silence(100))).toEqual([]);
    expect(beepsIn(tone(1_000, 60), silence(100))).toEqual([]);
    expect(beepsIn(tone(2_100, 3_000), silence(100))).toEqual([]);
    expect(beepsIn(tone(1_000, 6_000), silence(100))).toEqual([]);
    expect(beepsIn(silence(2_000))).toEqual([]);
  });
});
