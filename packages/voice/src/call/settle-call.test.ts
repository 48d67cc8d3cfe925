import { expect, test } from 'vitest';
import { type CallSteps, settleCall } from './settle-call.ts';

const steps = ['end', 'storeRecording', 'wrapUp', 'record', 'release'] as const;

/** Settles a call with some failing steps. */
async function settled(options: { fails?: readonly string[]; isErased?: boolean } = {}) {
  const done: string[] = [];
  let isKnown = false;
  const step = (name: string): Promise<void> => {
    if (options.fails?.includes(name)) return Promise.reject(new Error(`${name} failed`));
    done.push(name);
    return Promise.resolve();
  };
  const call: CallSteps<string> = {
    end: () => step('end'),
    storeRecording: () => step('storeRecording').then(() => 'outdial-recording:44'),
    wrapUp: () => step('wrapUp').then(() => 'a summary'),
    async record(_words, url) {
      await step('record');
      isKnown = url !== null && options.isErased !== true;
    },
    isRecordingKnown: () => Promise.resolve(isKnown),
    removeRecording: () => step('removeRecording'),
    release: () => step('release'),
  };
  const error = await settleCall(call).then(
    () => null,
    (failure: unknown) => String(failure),
  );
  return { done, error };
}

test('a call that is over is recorded, and its reservation is released', async () => {
  const { done, error } = await settled();
  expect([done.toSorted(), error]).toEqual([[...steps].toSorted(), null]);
});

test.each(steps)(
  'if the step %s fails, the reservation is still released, and no unknown recording stays',
  async (name) => {
    const { done, error } = await settled({ fails: [name] });
    expect(error).toBe(`Error: ${name} failed`);
    expect(done.includes('release')).toBe(name !== 'release');
    const stays = done.includes('storeRecording') && !done.includes('removeRecording');
    expect(stays).toBe(done.includes('record'));
  },
);

test('a call whose end could not be reported keeps its record', async () => {
  const { done } = await settled({ fails: ['end'] });
  expect(done).toEqual(expect.arrayContaining(['storeRecording', 'record', 'release']));
  expect(done).not.toContain('removeRecording');
});

test('the recording of a person who was erased meanwhile is removed', async () => {
  expect((await settled({ isErased: true })).done).toContain('removeRecording');
});
