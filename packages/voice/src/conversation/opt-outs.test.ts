import { expect, test, vi } from 'vitest';
import type { CallNote } from '../tools/tool.ts';
import { createOptOuts } from './opt-outs.ts';

/**
 * @param failures how many requests fail
 * @param pause what the pause after so many tries waits for
 */
function optOuts(failures: number, pause: (tries: number) => Promise<never> | null = () => null) {
  const reasons: string[] = [];
  const notes: CallNote[] = [];
  const optOut = createOptOuts({
    async suppress(reason) {
      reasons.push(reason);
      if (reasons.length <= failures) throw new Error('no database');
    },
    note: (note) => notes.push(note),
    log: { error: () => undefined },
    pause: async () => void (await pause(reasons.length)),
  });
  return { optOut, reasons, notes };
}

test('the words of the person and the tool of the model suppress once', async () => {
  const { optOut, reasons, notes } = optOuts(0);
  optOut.byWords();
  await optOut.settled();
  await optOut.ask('asked');
  expect([reasons, notes]).toEqual([['asked on a call'], [{ type: 'opted_out' }]]);
});

test('a failed opt-out is reported to the model, and may be asked for again', async () => {
  const { optOut, notes } = optOuts(1);
  await expect(optOut.ask('asked')).rejects.toThrow('no database');
  await optOut.ask('asked');
  expect(notes).toEqual([{ type: 'opted_out' }]);
});

test.each([
  [1, [{ type: 'opted_out' }]],
  [9, [{ type: 'opt_out_failed' }, { type: 'opted_out' }]],
  [1_000, [{ type: 'opt_out_failed' }]],
])('is tried again until it is saved, or for half an hour: %i failures', async (failures, expected) => {
  for (const by of ['the model', 'words']) {
    const { optOut, reasons, notes } = optOuts(failures);
    if (by === 'words') optOut.byWords();
    else optOut.ask('asked on a call').catch(() => undefined);
    const tries = Math.min(failures + 1, 450);
    await vi.waitFor(() => expect(reasons).toEqual(Array(tries).fill('asked on a call')));
    await optOut.settled();
    expect(notes).toEqual(expected);
  }
});

test('the call does not wait for a database that stays away', async () => {
  const { optOut, notes } = optOuts(Infinity, (tries) => (tries < 4 ? null : new Promise(() => undefined)));
  optOut.byWords();
  await optOut.settled();
  expect(notes).toEqual([{ type: 'opt_out_failed' }]);
});
