import { TimeZoneHints } from '@outdial/contracts';
import { expect, onTestFinished, test, vi } from 'vitest';
import { readImport } from './read-import.ts';
import { sortRecipients } from './sort-recipients.ts';

const number = (index: number) => `+1555${String(index).padStart(7, '0')}`;
/** Names for which all hints are computed. */
const wrongZone = (index: number) => (index % 2 === 0 ? 'Eastern Standard Time' : `${index} Standard Time`);

/** The names for which a hint was looked for, which is slow. */
function namesLookedUp(): () => string[] {
  const found = vi.spyOn(TimeZoneHints.prototype, 'find');
  onTestFinished(() => found.mockRestore());
  return () => found.mock.calls.map(([name]) => name);
}

/** Every other name is the same. */
const firstHundred = [...new Set(Array.from({ length: 199 }, (_, index) => wrongZone(index)))];

test('for a file with only wrong time zones, hints are looked for only a hundred times', async () => {
  const lookedUp = namesLookedUp();
  const rows = Array.from({ length: 10_000 }, (_, index) => `${number(index)},${wrongZone(index)}`);
  const file = Buffer.from(['phone,timezone', ...rows].join('\n'));
  const { refused } = await readImport(file, {
    mapping: {},
    numbering: {},
    findRefused: async () => new Map(),
  });
  const reasons = refused.map(({ reason }) => reason);
  expect(reasons).toHaveLength(10_000);
  expect(reasons.filter((reason) => reason.includes('perhaps America/New_York'))).toHaveLength(5_000);
  expect(lookedUp()).toEqual(firstHundred);
});

test('so it is for added recipients', async () => {
  const lookedUp = namesLookedUp();
  const people = Array.from({ length: 10_000 }, (_, index) => ({
    phone_number: number(index),
    timezone: wrongZone(index),
  }));
  const { refused } = await sortRecipients(people);
  const reasons = refused.map(({ reason }) => reason);
  expect(reasons).toHaveLength(10_000);
  expect(reasons.filter((reason) => reason.includes('perhaps America/New_York'))).toHaveLength(5_000);
  expect(lookedUp()).toEqual(firstHundred);
});
