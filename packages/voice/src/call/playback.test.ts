import { expect, test } from 'vitest';
import { lineRate } from '../audio/mu-law.ts';
import { createPlayback } from './playback.ts';

/** Sends ten seconds of sound, with ticks at these pauses in turn. Returns how far ahead of the clock each frame was sent. */
function aheadMs(...pausesMs: readonly number[]): number[] {
  let now = 0;
  const ahead: number[] = [];
  const playback = createPlayback((_frame, playsAt) => ahead.push(playsAt - now));
  playback.begin(1);
  playback.add(new Int16Array(10 * lineRate));
  for (let tick = 0; ahead.length < 500; tick += 1) {
    playback.tick(now);
    now += pausesMs[tick % pausesMs.length] ?? 20;
  }
  return ahead;
}

test.each([
  ['on time', [20]],
  ['late', [20, 90, 20, 250]],
  ['held up for seconds', [20, 20, 3_000]],
])('sends every frame at most 100 ms ahead, and none in the past, with ticks that are %s', (_, pausesMs) => {
  const ahead = aheadMs(...pausesMs);
  expect(ahead).toHaveLength(500);
  expect(Math.max(...ahead)).toBeLessThan(100);
  expect(Math.min(...ahead)).toBeGreaterThanOrEqual(0);
});

test('sends nothing of an answer that was dropped', () => {
  let sent = 0;
  const playback = createPlayback(() => (sent += 1));
  playback.begin(1);
  playback.add(new Int16Array(10 * lineRate));
  playback.tick(0);
  const before = sent;
  playback.drop();
  for (let now = 20; now < 2_000; now += 20) playback.tick(now);
  expect([before, sent]).toEqual([5, 5]);
});

test('sends whole frames as soon as there is sound, and leaves the end of a chunk for the next one', () => {
  const sent: Uint8Array[] = [];
  const playback = createPlayback((frame) => sent.push(frame));
  playback.begin(1);
  for (const samples of [100, 100, 120]) {
    playback.add(new Int16Array(samples).fill(3_000));
    playback.sendWhole(5);
  }
  expect(sent).toHaveLength(2);
  expect(new Set(sent.flatMap((frame) => [...frame])).size).toBe(1);
});
