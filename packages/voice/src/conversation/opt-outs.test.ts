import { expect, test } from 'vitest';
import type { CallNote } from '../tools/tool.ts';
import { createOptOuts } from './opt-outs.ts';

/** @param failures how many requests fail */
function optOuts(failures: number) {
  const reasons: string[] = [];
  const notes: CallNote[] = [];
  const optOut = createOptOuts({
    async suppress(reason) {
      reasons.push(reason);
      if (reasons.length <= failures) throw new Error('no database');
    },
    note: (note) => notes.push(note),
    log: { error: () => undefined },
    pause: () => Promise.resolve(),
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
  [1, 2, 'opted_out'],
  [9, 4, 'opt_out_failed'],
])(
  'by the model it is tried again, even if nobody asks for it: %i failures',
  async (failures, tries, type) => {
    const { optOut, reasons, notes } = optOuts(failures);
    await expect(optOut.ask('asked')).rejects.toThrow('no database');
    await optOut.settled();
    expect([reasons, notes]).toEqual([Array(tries).fill('asked'), [{ type }]]);
  },
);

test.each([
  [3, 4, 'opted_out'],
  [9, 4, 'opt_out_failed'],
])('by words it is tried again: %i failures', async (failures, tries, type) => {
  const { optOut, reasons, notes } = optOuts(failures);
  optOut.byWords();
  await optOut.settled();
  expect([reasons.length, notes]).toEqual([tries, [{ type }]]);
});
