import type { CampaignProgress } from '@outdial/db';
import { expect, test } from 'vitest';
import { summarize } from './summary.ts';

const finished: CampaignProgress = {
  campaign_id: '00000000-0000-4000-8000-000000000000',
  status: 'finished',
  recipients: {
    total: 10,
    waiting: 0,
    retrying: 0,
    in_call: 0,
    reached: 7,
    unreached: 2,
    suppressed: 1,
    withdrawn: 0,
  },
  outcomes: { no_answer: 2, completed: 7 },
  dials: 14,
  lines_in_use: 0,
  max_concurrent_calls: 10,
  calls_last_minute: 0,
  next_dial_at: null,
  waiting_for: null,
  first_dial_at: null,
  last_dial_at: null,
  estimated_end_at: null,
  as_of: new Date('2026-03-01T09:00:00Z'),
};

test('adds up to the list, the largest group first', () => {
  const { lines, fault } = summarize(finished, { recipients: 10, leftOut: 3 });
  expect(fault).toBeNull();
  const counts = lines.map((line) => line.trim().split(/\s{2,}/));
  expect(counts).toEqual([
    ['outcome', 'people'],
    ['completed', '7'],
    ['no_answer', '2'],
    ['suppressed', '1'],
    [expect.stringMatching(/^-+$/)],
    ['on the list', '10'],
    ['dials made', '14'],
    ['rows skipped', '3'],
  ]);
});

test.each([
  [{ status: 'canceled' as const }, 10, 'the campaign is canceled'],
  [{}, 11, "the campaign has 10 of the list's 11 people"],
  [{ outcomes: { completed: 7 } }, 10, '2 people have no outcome'],
])('reports counts that do not add up: %j', (change, recipients, fault) => {
  expect(summarize({ ...finished, ...change }, { recipients, leftOut: 0 }).fault).toBe(fault);
});
