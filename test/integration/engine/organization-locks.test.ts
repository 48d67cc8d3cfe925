import { lockCallingPolicy, lockQuota, shareSuppressions, updateOrganization, type Tx } from '@outdial/db';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { anyBackend } from '../../support/queues.ts';
import type { Stack } from '../../support/stack/start-stack.ts';
import { useStack } from '../../support/stack/use-stack.ts';
import { waitFor } from '../../support/stack/wait-for.ts';
import { phoneNumbers, runCampaign } from './campaign.ts';

/** Runs `take` in a transaction that stays open until the returned function is called with its last statement. */
async function holding(stack: Stack, take: (tx: Tx) => Promise<unknown>) {
  const taken = Promise.withResolvers<void>();
  const last = Promise.withResolvers<(tx: Tx) => Promise<unknown>>();
  const ended = stack.db.transaction().execute(async (tx) => {
    await take(tx);
    await sql`select`.execute(tx);
    taken.resolve();
    await (
      await last.promise
    )(tx);
  });
  onTestFinished(() => last.resolve(() => Promise.resolve()));
  await Promise.race([taken.promise, ended]);
  return (statement: (tx: Tx) => Promise<unknown> = () => Promise.resolve()) => {
    last.resolve(statement);
    return ended;
  };
}

test('calls of an organization with a daily quota are dialed while a campaign with many numbers is created', async () => {
  const stack = await useStack({ backend: anyBackend() });
  const organization = await stack.organization({ max_calls_per_day: 10 });
  // Creating a campaign holds this lock until all its numbers are inserted.
  const commit = await holding(stack, (tx) => lockCallingPolicy(tx, organization.id));
  const campaign = await runCampaign(stack, organization, { phone_numbers: phoneNumbers(2) });
  await expect.poll(async () => (await campaign.dials()).length).toBe(2);
  await commit();
});

test('a change of the calling policy waits for a gate that waits for the quota, and neither deadlocks', async () => {
  const stack = await useStack({ backend: anyBackend(), workers: 0, schedulers: 0 });
  const organization = await stack.organization({ max_calls_per_day: 10 });
  const commitGate = await holding(stack, (tx) => shareSuppressions(tx, organization.id));
  const now = await stack.clock.now();
  // Without the retries of `inTransaction`, which would hide a deadlock.
  const change = stack.db
    .transaction()
    .execute((tx) => updateOrganization(tx, organization.id, { calling_policy: 'strict' }, now));
  await waitFor('the change to wait for the gate', async () => {
    const { rows } = await sql`
      select from pg_stat_activity
      where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`.execute(stack.db);
    return rows.length === 1;
  });
  // In a deadlock, the deadlock detector would end one of the two after a second.
  const results = await Promise.allSettled([commitGate((tx) => lockQuota(tx, organization.id)), change]);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
});
