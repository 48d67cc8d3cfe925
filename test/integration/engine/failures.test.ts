import { randomUUID } from 'node:crypto';
import {
  inTransaction,
  listBlockedCampaigns,
  listFailingRecipients,
  recordCampaignFailure,
  saveWorkerHeartbeat,
  writeCampaignStatus,
} from '@outdial/db';
import { findWaiting, markBlockedCampaigns } from '@outdial/engine';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { anyBackend } from '../../support/queues.ts';
import type { Stack } from '../../support/stack/start-stack.ts';
import { useStack } from '../../support/stack/use-stack.ts';
import { waitFor } from '../../support/stack/wait-for.ts';
import { campaignByHand, overlapping } from './by-hand.ts';
import { dialNow, phoneNumbers, runCampaign } from './campaign.ts';

/** Makes Postgres raise an error for some rows of a table, as for a value that it cannot store. */
async function poison(
  stack: Stack,
  {
    table,
    event,
    when,
    code = '22023',
  }: { table: string; event: 'insert' | 'update'; when: string; code?: string },
): Promise<() => Promise<unknown>> {
  await sql
    .raw(
      `create function refuse() returns trigger language plpgsql as $$
       begin raise exception 'no such value: +15551234567' using errcode = '${code}'; end $$`,
    )
    .execute(stack.db);
  await sql
    .raw(
      `create trigger poisoned before ${event} on ${table} for each row when (${when}) execute function refuse()`,
    )
    .execute(stack.db);
  return () => sql.raw(`drop trigger poisoned on ${table}`).execute(stack.db);
}

const runtimeOf = (stack: Stack, campaignId: string) =>
  stack.db
    .selectFrom('campaign_runtime')
    .selectAll()
    .where('campaign_id', '=', campaignId)
    .executeTakeFirstOrThrow();

/** Waits for so many failures of a recipient. As the clock runs, there may be more; each sets a wait that is twice that of the one before. */
async function failed(stack: Stack, phoneNumber: string, atLeast: number): Promise<string> {
  const row = await waitFor(`${atLeast} failures`, () =>
    stack.db
      .selectFrom('failing_recipients as f')
      .innerJoin('campaign_recipients as r', 'r.id', 'f.recipient_id')
      .select(['f.failures', 'f.last_error', 'f.last_failed_at', 'r.next_attempt_at'])
      .where('r.phone_number', '=', phoneNumber)
      .where('f.failures', '>=', atLeast)
      .where('r.state', '=', 'pending')
      .executeTakeFirst(),
  );
  const waitMs = Number(row.next_attempt_at) - Number(row.last_failed_at);
  expect(waitMs).toBe(5_000 * 2 ** (row.failures - 2));
  return row.last_error;
}

async function detailOf(stack: Stack, organizationId: string, campaignId: string) {
  const waiting = await findWaiting(stack.db, { organizationId, campaignIds: [campaignId] });
  return waiting.get(campaignId);
}

test('a campaign that fails to advance reports it, waits longer each time, and delays no other', async () => {
  const stack = await useStack({ backend: anyBackend() });
  stack.log.expect(/job failed|a job of the campaign failed/);
  const organization = await stack.organization();
  const draft = { phone_numbers: phoneNumbers(3) };
  const heal = await poison(stack, {
    table: 'campaign_recipients',
    event: 'update',
    when: `old.phone_number = '${draft.phone_numbers[0] ?? ''}' and new.state = 'dialing'`,
    // Not the fault of one person.
    code: '55000',
  });
  const poisoned = await runCampaign(stack, organization, draft);
  const others = await runCampaign(stack, organization, { phone_numbers: phoneNumbers(20, '00', '556') });
  await others.finished();
  await waitFor('two failures', async () => (await runtimeOf(stack, poisoned.id)).failures >= 2);
  expect(await detailOf(stack, organization.id, poisoned.id)).toMatchObject({
    waitingFor: 'error',
    detail: { message: expect.stringContaining('times in a row') as unknown },
  });
  expect((await runtimeOf(stack, poisoned.id)).last_error).toBe('error 55000: no such value: +…');
  await heal();
  await stack.clock.advance(300_000);
  await poisoned.finished();
  expect(await runtimeOf(stack, poisoned.id)).toMatchObject({
    failures: 0,
    last_error: null,
    retry_at: null,
  });
});

test('the wait after failures doubles up to five minutes', async () => {
  const stack = await useStack({ backend: anyBackend(), workers: 0, schedulers: 0 });
  const { id } = await runCampaign(stack, await stack.organization(), { phone_numbers: phoneNumbers(1) });
  await stack.clock.stop();
  const now = await stack.clock.now();
  for (const [n, seconds] of [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300].entries()) {
    expect(await recordCampaignFailure(stack.db, { campaignId: id, error: 'broken' })).toBe(n + 1);
    const at = new Date(now.getTime() + seconds * 1_000);
    expect(await runtimeOf(stack, id)).toMatchObject({ wake_at: at, retry_at: at });
  }
});

test('a recipient whose gate fails delays no other, and waits longer each time', async () => {
  const stack = await useStack({ backend: anyBackend() });
  stack.log.expect(/set aside/);
  const numbers = phoneNumbers(12);
  const failing = numbers[5] ?? '';
  const heal = await poison(stack, {
    table: 'calls',
    event: 'insert',
    when: `new.phone_number = '${failing}'`,
  });
  const campaign = await runCampaign(
    stack,
    await stack.organization(),
    { phone_numbers: numbers },
    { max_concurrent_calls: 12 },
  );
  await campaign.dialed(11);
  await failed(stack, failing, 2);
  await stack.clock.advance(6_000);
  await failed(stack, failing, 3);
  expect(await listFailingRecipients(stack.db, { limit: 5 })).toMatchObject([
    { campaignId: campaign.id, recipients: 1, lastError: 'error 22023: no such value: +…' },
  ]);
  await heal();
  await stack.clock.advance(3_600_000);
  await campaign.finished();
  expect((await campaign.dials()).filter((dial) => dial.phone === failing)).toHaveLength(1);
});

test('a recipient that the gate refuses although the rules allow its attempt waits longer each time', async () => {
  const stack = await useStack({ backend: anyBackend() });
  stack.log.expect(/the gate refused an attempt that the rules allow/);
  // The gate judges by the row of the recipient, replanning by that of its call.
  await sql
    .raw(
      `create function reject() returns trigger language plpgsql as $$ begin new.last_outcome := 'rejected'; return new; end $$;
       create trigger rejected before update on campaign_recipients for each row when (new.last_outcome is not null) execute function reject()`,
    )
    .execute(stack.db);
  const numbers = phoneNumbers(1, '91');
  const campaign = await runCampaign(
    stack,
    await stack.organization(),
    { phone_numbers: numbers },
    { call_back_attempts: 1, retry_delay_seconds: 60 },
  );
  const recipient = () => stack.db.selectFrom('campaign_recipients').selectAll().executeTakeFirstOrThrow();
  await waitFor('a call-back', async () => (await recipient()).last_outcome === 'rejected');
  await stack.clock.advance(61_000);
  expect(await failed(stack, numbers[0] ?? '', 2)).toContain('that the rules allow');
  await sql`drop trigger rejected on campaign_recipients`.execute(stack.db);
  await stack.clock.advance(3_600_000);
  await campaign.dialed(2);
});

test.each([
  ['without a voice process', { waiting_for: 'media_runtime' }],
  ['whose hours never meet its window', { waiting_for: 'calling_hours', next_dial_at: null }],
] as const)('a campaign %s is reported as blocked', async (_, waits) => {
  const { stack } = await campaignByHand();
  await saveWorkerHeartbeat(stack.db, randomUUID());
  await stack.clock.stop();
  const soon = new Date((await stack.clock.now()).getTime() + 3_600_000);
  await stack.db
    .updateTable('campaign_runtime')
    .set({ next_dial_at: soon, ...waits })
    .execute();
  await markBlockedCampaigns(stack.control);
  await stack.clock.advance(300_000);
  await markBlockedCampaigns(stack.control);
  const { rows } =
    await sql`select data ->> 'reason' as reason from outbox where type = 'campaign.blocked'`.execute(
      stack.db,
    );
  expect(rows).toEqual([{ reason: waits.waiting_for }]);
});

test('a campaign that is paused while it is found blocked is not reported', async () => {
  const { stack, campaignId } = await campaignByHand();
  const now = await stack.clock.now();
  await sql`update campaign_runtime set waiting_for = 'caller_id', next_dial_at = null, blocked_for = 'caller_id',
    blocked_since = '2020-01-01'`.execute(stack.db);
  // The search reads the clock after it has begun. Postgres would inline a function in SQL before.
  await sql`create or replace function engine_now() returns timestamptz language plpgsql as $$
    begin perform pg_advisory_xact_lock_shared(0); return clock_timestamp(); end $$`.execute(stack.db);
  await overlapping(
    stack.db,
    (tx) => sql`select pg_advisory_xact_lock(0)`.execute(tx),
    () => markBlockedCampaigns(stack.control),
    (tx) => writeCampaignStatus(tx, { campaignId, status: 'paused', now }),
  );
  const { rows } = await sql`select data from outbox where type = 'campaign.blocked'`.execute(stack.db);
  expect(rows).toEqual([]);
});

test('a campaign that dials nothing for five minutes is reported once, until it dials', async () => {
  const stack = await useStack({ backend: anyBackend(), workers: 0, schedulers: 0 });
  const organization = await stack.organization({ max_lines: 1 });
  const [first, second] = [
    await runCampaign(stack, organization, { phone_numbers: phoneNumbers(1) }),
    await runCampaign(stack, organization, { phone_numbers: phoneNumbers(1, '00', '556') }),
  ];
  await dialNow(stack, first.id);
  await dialNow(stack, second.id);
  await stack.clock.stop();
  const workerId = randomUUID();
  const told = async () => {
    await saveWorkerHeartbeat(stack.db, workerId);
    await markBlockedCampaigns(stack.control);
    const { rows } = await sql<{ campaign_id: string; data: unknown }>`
      select campaign_id, data from outbox where type = 'campaign.blocked'`.execute(stack.db);
    return rows;
  };
  const since = await stack.clock.now();
  expect(await told()).toEqual([]);
  await stack.clock.advance(299_999);
  expect(await told()).toEqual([]);
  await stack.clock.advance(1);
  const events = await told();
  expect(events).toMatchObject([
    { campaign_id: second.id, data: { status: 'running', reason: 'organization_line' } },
  ]);
  await stack.clock.advance(600_000);
  expect(await told()).toHaveLength(1);
  expect(await listBlockedCampaigns(stack.db, { limit: 5 })).toMatchObject([
    { campaignId: second.id, reason: 'organization_line', since },
  ]);
  expect(await detailOf(stack, organization.id, second.id)).toMatchObject({
    detail: { blocked_since: since.toISOString() },
  });
  // The campaign has dialed and is blocked again, which is a new incident.
  await inTransaction(stack.db, (tx) =>
    sql`update campaign_runtime set served_at = engine_now() where campaign_id = ${second.id}`.execute(tx),
  );
  expect(await told()).toHaveLength(1);
  await stack.clock.advance(300_000);
  expect(await told()).toHaveLength(2);
  await organization.clients.manager.setStatus(second.id, 'paused');
  expect(await listBlockedCampaigns(stack.db, { limit: 5 })).toEqual([]);
});
