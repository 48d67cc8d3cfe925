import { lineRate } from '@outdial/voice/sound';
import { framesOf, loud, loudness } from './loudness.ts';

const rows = [697, 770, 852, 941];
const columns = [1_209, 1_336, 1_477, 1_633];
const keys = '123A456B789C*0#D';

/** The keys that a telephone exchange hears in a sound (ITU-T Q.23), by two tones in frames of 20 ms. */
export function keysIn(samples: Int16Array): string {
  let found = '';
  let last = '';
  for (const frame of framesOf(samples)) {
    const key = keyOf(frame);
    if (key !== last) found += key;
    last = key;
  }
  return found;
}

function keyOf(frame: Int16Array): string {
  if (loudness(frame) <= loud) return '';
  const energy = frame.reduce((sum, sample) => sum + sample * sample, 0);
  const strongest = (tones: readonly number[]) => {
    const shares = tones.map((hz) => (2 * powerAt(frame, hz)) / (frame.length * energy));
    const share = Math.max(...shares);
    return { index: shares.indexOf(share), share };
  };
  const [row, column] = [strongest(rows), strongest(columns)];
  const isKey = row.share > 0.3 && column.share > 0.3;
  return isKey ? (keys[row.index * columns.length + column.index] ?? '') : '';
}

function powerAt(samples: Int16Array, hz: number): number {
  let [real, imaginary] = [0, 0];
  for (const [at, sample] of samples.entries()) {
    real += sample * Math.cos((2 * Math.PI * hz * at) / lineRate);
    imaginary += sample * Math.sin((2 * Math.PI * hz * at) / lineRate);
  }
  return real ** 2 + imaginary ** 2;
}
