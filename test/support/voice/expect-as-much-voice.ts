import { expect } from 'vitest';
import { voicedMs } from './loudness.ts';

/** On its way, a sound loses and gains frames at its edges, and more where the machine stands still. */
const alike = 0.25;

/** There is as much voice in a sound as in these sounds together: nothing of them was cut off, and nothing came twice. */
export function expectAsMuchVoice(sound: Int16Array, ...others: readonly Int16Array[]): void {
  const wanted = others.reduce((sum, other) => sum + voicedMs(other), 0);
  expect(Math.abs(voicedMs(sound) / wanted - 1)).toBeLessThan(alike);
}
