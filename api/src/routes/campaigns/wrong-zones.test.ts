import { expect, test } from 'vitest';
import { readImport } from './read-import.ts';
import { sortRecipients } from './sort-recipients.ts';

const number = (index: number) => `+1555${String(index).padStart(7, '0')}`;
/** Names for which all hints are computed. */
const wrongZone = (index: number) => (index % 2 === 0 ? 'Eastern Standard Time' : `${index} Standard Time`);

async function cpuSecondsOf(run: () => Promise<void>): Promise<number> {
  const startedAt = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(startedAt);
  return (user + system) / 1e6;
}

test('a file with only wrong time zones gets hints at little cost', async () => {
  const rows = Array.from({ length: 10_000 }, (_, index) => `${number(index)},${wrongZone(index)}`);
  const file = Buffer.from(['phone,timezone', ...rows].join('\n'));
  let reasons: string[] = [];
  const seconds = await cpuSecondsOf(async () => {
    const { refused } = await readImport(file, {
      mapping: {},
      country: undefined,
      findRefused: async () => new Map(),
    });
    reasons = refused.map(({ reason }) => reason);
  });
  expect(reasons).toHaveLength(10_000);
  expect(reasons.filter((reason) => reason.includes('perhaps America/New_York'))).toHaveLength(5_000);
  expect(seconds).toBeLessThan(6);
});

test('so are added recipients', async () => {
  const people = Array.from({ length: 10_000 }, (_, index) => ({
    phone_number: number(index),
    timezone: wrongZone(index),
  }));
  let reasons: string[] = [];
  const seconds = await cpuSecondsOf(async () => {
    const { refused } = await sortRecipients(people);
    reasons = refused.map(({ reason }) => reason);
  });
  expect(reasons).toHaveLength(10_000);
  expect(reasons.filter((reason) => reason.includes('perhaps America/New_York'))).toHaveLength(5_000);
  expect(seconds).toBeLessThan(3);
});
