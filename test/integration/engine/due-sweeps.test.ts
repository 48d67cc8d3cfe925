import { askedSweeps, findDue, inTransaction, type Tx } from '@outdial/db';
import { sweeps } from '@outdial/scheduler/sweeps';
import { type RawBuilder, sql } from 'kysely';
import { expect, test } from 'vitest';
import { useFileStack } from '../../support/stack/use-stack.ts';
import { byHand, noProcesses } from './by-hand.ts';

const stack = await useFileStack(noProcesses);
const asked = [...askedSweeps];

/** Runs `work` in a transaction that is rolled back. */
async function undone(work: (tx: Tx) => Promise<void>): Promise<void> {
  const undo = new Error('undone');
  await inTransaction(stack.db, async (tx) => {
    await work(tx);
    throw undo;
  }).catch((error: unknown) => {
    if (error !== undo) throw error;
  });
}

test('no sweep is due in an installation that does nothing', async () => {
  await stack.organization();
  expect([...(await findDue(stack.db, asked))]).toEqual([]);
});

test('to ask reads no table of calls from end to end, although Postgres knows nothing about it yet', async () => {
  await stack.organization();
  await undone(async (tx) => {
    await sql`
      insert into calls (id, organization_id, agent_id, prompt_id, provider, phase, outcome, phone_number, created_at, gated_at, ended_at)
      select new_id(), p.organization_id, p.agent_id, p.id, 'simulator', 'ended', 'busy', '+1555' || n, now(), now(), now()
      from (select * from agent_prompts limit 1) p, generate_series(1000000, 1003000) n`.execute(tx);
    const scans = async () => {
      const { rows } = await sql<{ scans: number }>`
        select seq_scan::int as scans from pg_stat_xact_user_tables where relname = 'calls'`.execute(tx);
      return rows[0]?.scans;
    };
    const before = await scans();
    await findDue(tx, asked);
    expect(await scans()).toBe(before);
  });
});

/** What makes a sweep due that is not due because a campaign runs with one call. */
const work: Readonly<Record<string, RawBuilder<unknown>>> = {
  'wake-due-campaigns': sql`update campaign_runtime set wake_at = engine_now() + interval '0.9 seconds'`,
  'check-due-calls': sql`update calls set check_at = engine_now() - interval '0.5 seconds'`,
  'hang-up-calls': sql`update calls set hangup_requested_at = engine_now(), accepted_at = engine_now()`,
  'end-lost-web-calls': sql`update calls set kind = 'web'`,
  'retry-queued-calls': sql`
    update calls set phase = 'queued', line_held = false, queue_deadline_at = engine_now() + interval '1 minute'`,
  'end-waiting-for-suppressed': sql`
    insert into installation_suppressions (phone_number, created_at) values ('+12025550100', engine_now())`,
  'rekey-recipients': sql`update campaigns set calling_policy = 'strict'`,
  'resume-withdrawals': sql`update campaign_runtime set withdrawing = true`,
  'erase-deleted-campaigns': sql`update campaigns set deleted_at = engine_now()`,
  'resume-deliveries': sql`
    with e as (
      insert into webhook_endpoints (organization_id, url, events, secret, created_at, updated_at)
      select organization_id, 'https://example.com', '{*}', 's', engine_now(), engine_now() from campaigns
      returning id, organization_id)
    insert into webhook_deliveries (organization_id, endpoint_id, event_id, event_type, subject_id, position, next_attempt_at, created_at)
    select organization_id, id, id, 'call.ended', id, 1, engine_now(), engine_now() from e`,
  ingestion: sql`insert into stored_files (organization_id, key) select organization_id, 'a-file' from campaigns`,
};

test('each sweep is due as soon as it has work', async () => {
  const { dial } = await byHand(stack, await stack.organization());
  await dial();
  const now = await findDue(stack.db, asked);
  expect([...asked].filter((name) => !now.has(name))).toEqual(Object.keys(work));
  const notFound: string[] = [];
  for (const [name, makeDue] of Object.entries(work)) {
    await undone(async (tx) => {
      await makeDue.execute(tx);
      if (!(await findDue(tx, [name])).has(name)) notFound.push(name);
    });
  }
  expect(notFound).toEqual([]);
});

test('only those that were asked for are named, and all that can be asked for exist', async () => {
  expect([...(await findDue(stack.db, ['estimate-ends', 'no-sweep']))]).toEqual(['estimate-ends']);
  const names = sweeps.map(({ name }) => name);
  expect(asked.filter((name) => !names.includes(name))).toEqual([]);
});
