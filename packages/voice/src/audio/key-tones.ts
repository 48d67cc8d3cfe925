import { lineRate } from './mu-law.ts';

/** ITU-T Q.23. */
const rows = [697, 770, 852, 941];
const columns = [1_209, 1_336, 1_477, 1_633];
const keys = '123A456B789C*0#D';
/** Longer than the 40 ms that ITU-T Q.24 asks of every receiver. */
const toneMs = 120;
const gapMs = 100;
const waitMs = 500;
const amplitude = 7_000;

const samplesIn = (ms: number) => (ms / 1_000) * lineRate;
const lengthOf = (key: string) => samplesIn(key === 'w' ? waitMs : toneMs + gapMs);

/** Keys as sound, for lines that cannot signal them: digits, `*`, `#`, `A` to `D`, and `w` for half a second. */
export function keyTones(digits: string): Int16Array<ArrayBuffer> {
  const all = digits.split('');
  const samples = new Int16Array(all.reduce((sum, key) => sum + lengthOf(key), 0));
  let from = 0;
  for (const key of all) {
    const index = keys.indexOf(key);
    const low = rows[index >> 2] ?? 0;
    const high = columns[index & 3] ?? 0;
    const until = index < 0 ? from : from + samplesIn(toneMs);
    for (let at = from; at < until; at += 1) {
      const angle = (2 * Math.PI * (at - from)) / lineRate;
      samples[at] = amplitude * (Math.sin(low * angle) + Math.sin(high * angle));
    }
    from += lengthOf(key);
  }
  return samples;
}
