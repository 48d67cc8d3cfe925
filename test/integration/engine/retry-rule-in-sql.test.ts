import { decideStep, outcomes, type DialingSchedule, type LastCall, type RetryPolicy } from '@outdial/core';
import { isGivenByPolicy, type Db } from '@outdial/db';
import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { anyBackend } from '../../support/queues.ts';
import { useStack } from '../../support/stack/use-stack.ts';

/**
 * Open at any time and with an end, because windows and the limit of ten rounds are not part of the SQL: the gate has a condition of its own for
 * windows, and only a plan begins a round. The status is not part of it either, so the campaign always runs.
 */
const always: DialingSchedule = {
  startAt: new Date('2027-01-01T00:00:00Z'),
  endAt: new Date('2099-01-01T00:00:00Z'),
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
    round: fc.integer({ min: 1, max: 12 }),
    roundAttempt: fc.integer({ min: 1, max: 5 }),
    outcome: fc.constantFrom(...outcomes),
  })
  .map(({ earlier, ...call }): LastCall => ({
    ...call,
    attempt: call.roundAttempt + earlier,
    gatedAt: noon,
    endedAt: noon,
  }));
/** `last` is null for a recipient that was never called. `isForgotten`: its row lacks the outcome of the last call. */
const histories = fc.record({
  policy: policies,
  last: fc.option(lastCalls, { nil: null, freq: 20 }),
  isForgotten: fc.integer({ min: 0, max: 20 }).map((n) => n === 20),
});

interface History {
  policy: RetryPolicy;
  last: LastCall | null;
  isForgotten: boolean;
}

/** Whether a recipient may be dialed whose next attempt is a call-back, begins a round, or begins a round that a caller requested. */
interface Allowed {
  callBack: boolean;
  round: boolean;
  requestedRound: boolean;
}

async function allowedInSql(db: Db, all: readonly History[]): Promise<Allowed[]> {
  const allowed = (roundAttempts: ReturnType<typeof sql>, isAskedRound: boolean) => sql`
    (${isGivenByPolicy({
      attempts: sql`x.attempts`,
      round_attempts: roundAttempts,
      last_outcome: sql`x.last_outcome`,
      is_requested_round: sql`${isAskedRound}::boolean`,
      max_attempts: sql`x.max_attempts`,
      call_back_attempts: sql`x.call_back_attempts`,
      queue_again: sql`x.queue_again`,
      retry_on: sql`array(select jsonb_array_elements_text(x.retry_on))`,
    })}) is true`;
  const rows = all.map(({ policy, last, isForgotten }) => ({
    attempts: last?.attempt ?? 0,
    round_attempts: last?.roundAttempt ?? 0,
    last_outcome: isForgotten ? null : (last?.outcome ?? null),
    max_attempts: policy.maxAttemptsPerRecipient,
    call_back_attempts: policy.callBackAttempts,
    queue_again: policy.queueAgain,
    retry_on: policy.retryOn,
  }));
  const answer = await sql<Allowed>`
    select ${allowed(sql`x.round_attempts`, false)} as "callBack", ${allowed(sql`0`, false)} as round,
      ${allowed(sql`0`, true)} as "requestedRound"
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as x(
      attempts int, round_attempts int, last_outcome text, max_attempts int, call_back_attempts int, queue_again boolean,
      retry_on jsonb)`.execute(db);
  return answer.rows;
}

function allowedByRule({ policy, last, isForgotten }: History): Allowed {
  // The first attempt is never refused, and one after a forgotten outcome is refused until the recipient is replanned.
  if (last === null) return { callBack: true, round: true, requestedRound: true };
  if (isForgotten) return { callBack: false, round: false, requestedRound: false };
  const stepOf = (requestedRound: number | null) =>
    decideStep({
      rules: { status: 'running', schedule: always, policy },
      recipient: { callingKey: 'UTC', withdrawn: false, firstAttemptAt: noon, requestedRound },
      last,
    });
  const step = stepOf(null);
  const goesOn = step.state === 'pending';
  return {
    callBack: goesOn && step.roundAttempts > 0,
    // A round that was planned before the policy gave more call-backs may still be dialed as planned.
    round: goesOn && policy.queueAgain,
    requestedRound: stepOf(last.round + 1).state === 'pending',
  };
}

test('the gate allows an attempt exactly if the rule does', async () => {
  const { db } = await useStack({ backend: anyBackend(), workers: 0, schedulers: 0 });
  await fc.assert(
    fc.asyncProperty(fc.array(histories, { minLength: 1, maxLength: 1_000, size: 'max' }), async (all) => {
      const allowed = await allowedInSql(db, all);
      expect(all.map((one, n) => ({ ...one, allowed: allowed[n] }))).toEqual(
        all.map((one) => ({ ...one, allowed: allowedByRule(one) })),
      );
    }),
    { numRuns: 10 },
  );
});
