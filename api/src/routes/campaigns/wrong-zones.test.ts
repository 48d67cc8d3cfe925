import { TimeZoneHints } from '@outdial/contracts';
import { expect, onTestFinished, test, vi } from 'vitest';
import { readImport } from './read-import.ts';
import { sortRecipients } from './sort-recipients.ts';

const number = (index: number) => `+1555${String(index).padStart(7, '0')}`;
/** Names for which all hints are computed. */
const wrongZone = (index: number) => (index % 2 === 0 ? 'Eastern Standard Time' : `${index} Standard Time`);

const zones = Array.from({ length: 10_000 }, (_, index) => wrongZone(index));
/** Every other name is the same. */
const firstHundred = [...new Set(zones.slice(0, 199))];

const readers = {
  'a file': async () => {
    const rows = zones.map((zone, index) => `${number(index)},${zone}`);
    const file = Buffer.from(['phone,timezone', ...rows].join('\n'));
    return readImport(file, {
      organizationId: 'acme',
      mapping: {},
      numbering: {},
      findRefused: async () => new Map(),
    });
  },
  'added recipients': async () =>
    sortRecipients(zones.map((timezone, index) => ({ phone_number: number(index), timezone }))),
};

test.each(Object.entries(readers))(
  'hints are looked for only a hundred times for wrong time zones of %s',
  async (_, read) => {
    const find = vi.spyOn(TimeZoneHints.prototype, 'find');
    onTestFinished(() => find.mockRestore());
    const { refused } = await read();
    const reasons = refused.map(({ reason }) => reason);
    expect(reasons).toHaveLength(10_000);
    expect(reasons.filter((reason) => reason.includes('perhaps America/New_York'))).toHaveLength(5_000);
    expect(find.mock.calls.map(([name]) => name)).toEqual(firstHundred);
  },
);
