import { inTransaction, passGate, type GateClaim, type GateTerms } from '@outdial/db';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { TestOrganization } from '../../support/stack/organization.ts';
import type { Stack } from '../../support/stack/start-stack.ts';
import { useStack } from '../../support/stack/use-stack.ts';
import { waitFor } from '../../support/stack/wait-for.ts';
import { claimDue, phoneNumbers, runCampaign } from './campaign.ts';
import { gateTerms } from '../../support/gates/gate-terms.ts';

interface Claimed {
  stack: Stack;
  organization: TestOrganization;
  campaignId: string;
  terms: GateTerms;
  claims: GateClaim[];
}

async function claimed(count: number): Promise<Claimed> {
  const stack = await useStack({ backend: 'postgres', workers: 0, schedulers: 0 });
  const organization = await stack.organization();
  const { id: campaignId } = await runCampaign(
    stack,
    organization,
    { phone_numbers: phoneNumbers(count) },
    { max_concurrent_calls: count },
  );
  await claimDue(stack, campaignId);
  const rows = await stack.db
    .selectFrom('campaign_recipients')
    .select(['id', 'claim_id'])
    .orderBy('position')
    .execute();
  const claims = rows.map((row) => ({
    recipientId: row.id,
    claimId: row.claim_id ?? '',
    attempt: 1,
    isAllowedDestination: true,
  }));
  return { stack, organization, campaignId, terms: await gateTerms(stack, organization, campaignId), claims };
}

/** Whether a claim passed, or the reason why it did not. */
async function pass({ db }: Stack, terms: GateTerms, claim: GateClaim): Promise<string> {
  const answer = (await passGate(db, terms, [claim])).get(claim.claimId);
  return answer?.kind === 'refused' ? answer.reason : 'passed';
}

/** Resolves when this many statements wait for a lock. */
async function untilWaiting({ db }: Stack, count: number): Promise<void> {
  await waitFor(`${count} statements to wait for a lock`, async () => {
    const { rows } = await sql<{ waiting: number }>`
      select count(*)::int as waiting from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
    return (rows[0]?.waiting ?? 0) >= count;
  });
}

test('a gate that comes after a pause waits behind it, although other gates are open', async () => {
  const { stack, organization, campaignId, terms, claims } = await claimed(2);
  const [first, second] = claims;
  if (!first || !second) throw new Error('two claims were expected');
  const order: string[] = [];
  const holding = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const holder = inTransaction(stack.db, async (tx) => {
    await sql`select from campaign_recipients where id = ${first.recipientId} for update`.execute(tx);
    holding.resolve();
    await release.promise;
  });
  await holding.promise;
  // The transaction holds the campaign's row, and waits for the recipient's.
  const open = pass(stack, terms, first).then((answer) => order.push(`open: ${answer}`));
  await untilWaiting(stack, 1);
  const pause = organization.clients.manager.setStatus(campaignId, 'paused').then(() => order.push('paused'));
  await untilWaiting(stack, 2);
  const late = pass(stack, terms, second).then((answer) => order.push(`late: ${answer}`));
  await Promise.race([late, untilWaiting(stack, 3)]);
  release.resolve();
  await Promise.all([holder, open, pause, late]);
  expect(order.toSorted()).toEqual(['late: stale', 'open: passed', 'paused']);
});

test('with slow commits, a pause waits for open gates only', async () => {
  const lanes = 4;
  const { stack, organization, campaignId, terms, claims } = await claimed(400);
  const { db } = stack;
  // The commit of a call takes 10 ms longer.
  await sql
    .raw(`create function slow_commit() returns trigger language plpgsql as $$
      begin perform pg_sleep(0.01); return null; end $$`)
    .execute(db);
  await sql
    .raw(`create constraint trigger slow_commit after insert on calls
      deferrable initially deferred for each row execute function slow_commit()`)
    .execute(db);
  let passed = 0;
  let refused = false;
  const left = [...claims];
  const lane = async () => {
    for (let claim = left.pop(); claim && !refused; claim = left.pop()) {
      if ((await pass(stack, terms, claim)) === 'passed') passed += 1;
      else refused = true;
    }
  };
  const running = Array.from({ length: lanes }, lane);
  await waitFor('gates to be open', () => passed > 2 * lanes);
  const pause = organization.clients.manager.setStatus(campaignId, 'paused');
  await Promise.race([pause, untilWaiting(stack, 1)]);
  const before = passed;
  await pause;
  const during = passed - before;
  await Promise.all(running);
  // The open gates, and perhaps one more in each lane before the waiting pause was noticed.
  expect(during).toBeLessThanOrEqual(3 * lanes);
});
