import { expect, test, vi } from 'vitest';
import type { CallNote } from '../tools/tool.ts';
import { type AskedOnCall, createOptOuts } from './opt-outs.ts';

/**
 * @param failures how many requests fail
 * @param pause what the pause after so many tries waits for
 */
function optOuts(failures: number, pause: (tries: number) => Promise<never> | null = () => null) {
  const asked: AskedOnCall[] = [];
  let seconds = 0;
  const notes: CallNote[] = [];
  const optOut = createOptOuts({
    async suppress(request) {
      asked.push(request);
      if (asked.length <= failures) throw new Error('no database');
    },
    now: () => new Date(Date.UTC(2027, 0, 4) + ++seconds * 1_000),
    note: (note) => notes.push(note),
    log: { error: () => undefined },
    pause: async () => void (await pause(asked.length)),
  });
  return { optOut, asked, notes };
}

const at = (second: number) => new Date(Date.UTC(2027, 0, 4) + second * 1_000);

test('the words of the person and the tool of the model suppress once, with what the person said', async () => {
  const { optOut, asked, notes } = optOuts(0);
  optOut.byPerson('Take me off your list.');
  await optOut.settled();
  await optOut.byModel('wants no calls');
  expect(asked).toEqual([
    {
      reason: 'asked on a call',
      channel: 'call_speech',
      words: 'Take me off your list.',
      receivedAt: at(1),
    },
  ]);
  expect(notes).toEqual([{ type: 'opted_out' }]);
});

test('a key has no words, and the model is no witness of them', async () => {
  const byKey = optOuts(0);
  byKey.optOut.heard('Hello?');
  byKey.optOut.byPerson(null);
  await byKey.optOut.settled();
  expect(byKey.asked).toMatchObject([{ channel: 'call_key', words: null }]);
  const byModel = optOuts(0);
  byModel.optOut.heard('Hello?');
  byModel.optOut.heard('I would rather not hear from you.');
  await byModel.optOut.byModel('wants no calls');
  expect(byModel.asked).toMatchObject([
    { reason: 'wants no calls', channel: 'call', words: 'I would rather not hear from you.' },
  ]);
});

test('a failed opt-out is reported to the model, and may be asked for again', async () => {
  const { optOut, notes } = optOuts(1);
  await expect(optOut.byModel('asked')).rejects.toThrow('no database');
  await optOut.byModel('asked');
  expect(notes).toEqual([{ type: 'opted_out' }]);
});

test.each([
  [1, [{ type: 'opted_out' }]],
  [9, [{ type: 'opt_out_failed' }, { type: 'opted_out' }]],
  [1_000, [{ type: 'opt_out_failed' }]],
])(
  'is tried again until it is saved, or for half an hour, as of when the person asked: %i failures',
  async (failures, expected) => {
    for (const by of ['the model', 'words']) {
      const { optOut, asked, notes } = optOuts(failures);
      if (by === 'words') optOut.byPerson('Stop.');
      else optOut.byModel('asked on a call').catch(() => undefined);
      const tries = Math.min(failures + 1, 450);
      await vi.waitFor(() => {
        expect(asked.map(({ receivedAt }) => receivedAt)).toEqual(Array.from({ length: tries }, () => at(1)));
      });
      await optOut.settled();
      expect(notes).toEqual(expected);
    }
  },
);

test.each([[null], ['…']])('what nobody understood is not kept as words: %j', async (words) => {
  const { optOut, asked } = optOuts(0);
  if (words !== null) optOut.heard(words);
  await optOut.byModel('wants no calls');
  expect(asked).toMatchObject([{ words: null }]);
});

test('words are kept as the database can store them', async () => {
  const { optOut, asked } = optOuts(0);
  optOut.byPerson('Stop\u0000.');
  await optOut.settled();
  expect(asked).toMatchObject([{ words: 'Stop\uFFFD.' }]);
});

test('a process that has time waits until the request is saved', async () => {
  const { optOut, notes } = optOuts(20);
  optOut.byPerson('Stop.');
  await optOut.settled();
  await optOut.over(() => false);
  expect(notes).toEqual([{ type: 'opt_out_failed' }, { type: 'opted_out' }]);
});

test('a process that is cut gives up', async () => {
  const { optOut, asked, notes } = optOuts(Infinity);
  optOut.byPerson('Stop.');
  await optOut.over(() => true);
  expect(notes).toEqual([{ type: 'opt_out_failed' }]);
  expect(asked.length).toBeLessThan(10);
});

test('the call does not wait for a database that stays away', async () => {
  const { optOut, notes } = optOuts(Infinity, (tries) => (tries < 4 ? null : new Promise(() => undefined)));
  optOut.byPerson('Stop.');
  await optOut.settled();
  expect(notes).toEqual([{ type: 'opt_out_failed' }]);
});
