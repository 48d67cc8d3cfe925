import type { CampaignProgress } from '@outdial/db';
import { expect, it } from 'vitest';
import { summarize } from './summary.ts';

const finished: CampaignProgress = {
  status: 'finished',
  total: 10,
  ended: 10,
  inHand: 0,
  attempts: 14,
  outcomes: { no_answer: 2, completed: 7 },
  suppressed: 1,
  nextDialAt: null,
  waitingFor: null,
};

it('adds up to the list, the largest group first', () => {
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
    ['rows left out', '3'],
  ]);
});

it.each([
  [{ status: 'canceled' as const }, 10, 'the campaign is canceled'],
  [{}, 11, "the campaign has 10 of the list's 11 people"],
  [{ outcomes: { completed: 7 } }, 10, '2 people have no outcome'],
])('says what does not add up: %j', (change, recipients, fault) => {
  expect(summarize({ ...finished, ...change }, { recipients, leftOut: 0 }).fault).toBe(fault);
});
