import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Transcriptions } from './transcriptions.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** An utterance whose words do not come in time. */
async function slow() {
  const gone = new AbortController();
  const late: string[] = [];
  const transcriptions = new Transcriptions();
  const words = transcriptions.next(gone.signal, (text) => late.push(text));
  transcriptions.committed('a');
  await vi.advanceTimersByTimeAsync(2_600);
  expect(await words).toBeNull();
  return { gone, late, transcriptions };
}

test('words that come too late are told all the same, once', async () => {
  const { late, transcriptions } = await slow();
  transcriptions.transcribed('a', 'Do not call me again.');
  transcriptions.transcribed('a', 'Do not call me again.');
  expect(late).toEqual(['Do not call me again.']);
});

test('words of a call that is over, or that could not be transcribed, are not', async () => {
  const [over, failed] = [await slow(), await slow()];
  over.gone.abort();
  over.transcriptions.transcribed('a', 'Do not call me again.');
  failed.transcriptions.transcribed('a', null);
  expect([over.late, failed.late]).toEqual([[], []]);
});

test('once the person has left, words are waited for longer', async () => {
  const { signal } = new AbortController();
  const transcriptions = new Transcriptions();
  const [first, second] = [transcriptions.next(signal), transcriptions.next(signal)];
  transcriptions.committed('a');
  transcriptions.committed('b');
  transcriptions.isPatient = true;
  await vi.advanceTimersByTimeAsync(6_900);
  transcriptions.transcribed('a', 'Do not call me again.');
  await vi.advanceTimersByTimeAsync(200);
  expect(await Promise.all([first, second])).toEqual(['Do not call me again.', null]);
});
