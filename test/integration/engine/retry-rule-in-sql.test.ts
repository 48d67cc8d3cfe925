import { decideStep, outcomes, type DialingSchedule, type LastCall, type RetryPolicy } from '@outdial/core';
import { isGivenByPolicy, type Db } from '@outdial/db';
import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { anyBackend } from '../../support/queues.ts';
import { useStack } from '../../support/stack/use-stack.ts';

/** Always open, so that no window affects the result. */
const always: DialingSchedule = {
  startAt: new Date('2027-01-01T00:00:00Z'),
  endAt: null,
  startTime: '00:00',
  endTime: '24:00',
  callOnWeekend: true,
  timezone: 'UTC',
};
const noon = new Date('2027-03-01T12:00:00Z');

const policies = fc.record({
  callBackAttempts: fc.nat(3),
  retryDelaySeconds: fc.constant(0),
  retryDelaysSeconds: fc.constant(null),
  retryOn: fc.subarray([...outcomes]),
  queueAgain: fc.boolean(),
  maxAttemptsPerRecipient: fc.option(fc.integer({ min: 1, max: 6 }), { nil: null }),
});
const lastCalls = fc
  .record({
    earlier: fc.nat(3),
    round: fc.integer({ min: 1, max: 9 }),
    roundAttempt: fc.integer({ min: 1, max: 5 }),
    outcome: fc.constantFrom(...outcomes),
  })
  .map(({ earlier, ...call }): LastCall => ({
    ...call,
    attempt: call.roundAttempt + earlier,
    gatedAt: noon,
    endedAt: noon,
  }));

interface Asked {
  policy: RetryPolicy;
  last: LastCall;
}

/** The result of the SQL for each, planned as a call-back and as the first attempt of a round. */
async function askSql(db: Db, all: readonly Asked[]): Promise<Array<{ callBack: boolean; round: boolean }>> {
  const given = (roundAttempts: ReturnType<typeof sql>) =>
    isGivenByPolicy({
      attempts: sql`x.attempts`,
      round_attempts: roundAttempts,
      last_outcome: sql`x.last_outcome`,
      is_asked_round: sql`false`,
      max_attempts: sql`x.max_attempts`,
      call_back_attempts: sql`x.call_back_attempts`,
      queue_again: sql`x.queue_again`,
      retry_on: sql`array(select jsonb_array_elements_text(x.retry_on))`,
    });
  const rows = all.map(({ policy, last }) => ({
    attempts: last.attempt,
    round_attempts: last.roundAttempt,
    last_outcome: last.outcome,
    max_attempts: policy.maxAttemptsPerRecipient,
    call_back_attempts: policy.callBackAttempts,
    queue_again: policy.queueAgain,
    retry_on: policy.retryOn,
  }));
  const answer = await sql<{ callBack: boolean; round: boolean }>`
    select ${given(sql`x.round_attempts`)} as "callBack", ${given(sql`0`)} as round
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as x(
      attempts int, round_attempts int, last_outcome text, max_attempts int, call_back_attempts int, queue_again boolean,
      retry_on jsonb)`.execute(db);
  return answer.rows;
}

test('the gate allows an attempt exactly if the rule does', async () => {
  const { db } = await useStack({ backend: anyBackend(), workers: 0, schedulers: 0 });
  const all = fc.sample(fc.record({ policy: policies, last: lastCalls }), { numRuns: 5_000, seed: 1 });
  const told = await askSql(db, all);
  for (const [n, { policy, last }] of all.entries()) {
    const step = decideStep({
      rules: { status: 'running', schedule: always, policy },
      recipient: { timezone: 'UTC', withdrawn: false, firstAttemptAt: noon, askedRound: null },
      last,
    });
    const goesOn = step.state === 'pending';
    expect({ policy, last, ...told[n] }).toEqual({
      policy,
      last,
      callBack: goesOn && step.roundAttempts > 0,
      // A round that was planned before the policy gave more call-backs may still be dialed.
      round: goesOn && policy.queueAgain,
    });
  }
});
