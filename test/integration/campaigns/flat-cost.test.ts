import {
  findProgressOfCampaigns,
  inTransaction,
  listCalls,
  listRecipients,
  numbersOfPage,
  type Tx,
} from '@outdial/db';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { apiWorld } from '../api/api-world.ts';

/** `FLAT_COST_RECIPIENTS=1000000 npx vitest run test/integration/campaigns/flat-cost.test.ts` is the long form. */
const largest = Number(process.env['FLAT_COST_RECIPIENTS'] ?? 20_000);
const long = { timeout: largest > 100_000 ? 900_000 : 120_000 };

const world = await apiWorld({ config: { jsonBodyLimitBytes: 64 * 1024 * 1024 } });
const acme = await world.organization();
const made = z.object({ data: z.object({ id: z.string() }) });

interface Sized {
  organizationId: string;
  campaignId: string;
}

/** A campaign of this many people, each called once. */
async function campaignOf(recipients: number): Promise<Sized> {
  const phone_numbers = Array.from({ length: recipients }, (_, n) => `+1555${String(n).padStart(7, '0')}`);
  const { json } = await world.client.send('POST /api/v1/campaigns', {
    key: acme.keys.admin,
    json: { name: `of ${recipients}`, agent_id: await acme.agent(), phone_numbers },
  });
  const campaignId = made.parse(json).data.id;
  await world.db.transaction().execute(async (tx) => {
    // Inserting a million rows takes longer than the service's statement timeout.
    await sql`set local statement_timeout = 0`.execute(tx);
    await sql`
    insert into calls (id, organization_id, agent_id, campaign_id, recipient_id, attempt, round, round_attempt, provider, phase,
      outcome, phone_number, prompt_id, events, created_by, created_at, gated_at, ended_at)
    select gen_random_uuid(), r.organization_id, c.agent_id, r.campaign_id, r.id, 1, 1, 1, 'simulator', 'ended', 'completed',
      r.phone_number, (select p.id from agent_prompts p where p.agent_id = c.agent_id limit 1), '[]', ${acme.userId},
      engine_now() - row_number() over () * interval '1 second', engine_now(), engine_now()
    from campaign_recipients r join campaigns c on c.id = r.campaign_id where r.campaign_id = ${campaignId}`.execute(
      tx,
    );
  });
  await sql`analyze campaign_recipients, calls`.execute(world.db);
  return { organizationId: acme.id, campaignId };
}

const small = await campaignOf(200);
const large = await campaignOf(largest);

/** The rows of the two large tables that some work reads, according to Postgres's counters for its connection. */
async function rowsRead(work: (tx: Tx) => Promise<unknown>): Promise<number> {
  return inTransaction(world.db, async (tx) => {
    // Statistics of earlier transactions may not have been flushed yet.
    const before = await rowsReadSoFar(tx);
    await work(tx);
    return (await rowsReadSoFar(tx)) - before;
  });
}

async function rowsReadSoFar(tx: Tx): Promise<number> {
  const { rows } = await sql<{ read: number }>`
    select coalesce(sum(seq_tup_read + coalesce(idx_tup_fetch, 0)), 0)::int as read
    from pg_stat_xact_user_tables where relname in ('campaign_recipients', 'calls')`.execute(tx);
  return rows[0]?.read ?? 0;
}

const page = { limit: 50, after: null };
const reads: Record<string, (tx: Tx, of: Sized) => Promise<unknown>> = {
  progress: (tx, { organizationId, campaignId }) =>
    findProgressOfCampaigns(tx, { organizationId, campaignIds: [campaignId] }),
  'the newest recipients': (tx, of) => listRecipients(tx, of, { filters: {}, page }),
  'recipients of a state': (tx, of) => listRecipients(tx, of, { filters: { state: 'waiting' }, page }),
  'recipients of a state without recipients': (tx, of) =>
    listRecipients(tx, of, { filters: { state: 'suppressed' }, page }),
  'recipients of an outcome without recipients': (tx, of) =>
    listRecipients(tx, of, { filters: { outcome: 'busy' }, page }),
  'one recipient by number': (tx, of) =>
    listRecipients(tx, of, { filters: { phoneNumber: '+15550000007' }, page }),
  'the newest calls': (tx, { organizationId, campaignId }) =>
    listCalls(tx, { organizationId, filters: { campaignId }, page }),
  'calls of one number': (tx, { organizationId, campaignId }) =>
    listCalls(tx, { organizationId, filters: { campaignId, phoneNumber: '+15550000007' }, page }),
};

test.each(Object.entries(reads))(
  `%s: reads no more rows of ${largest} people than of 200`,
  long,
  async (_, read) => {
    const few = await rowsRead((tx) => read(tx, small));
    const many = await rowsRead((tx) => read(tx, large));
    // A page, the rows that it refers to, and some that are read and left out.
    expect(many).toBeLessThanOrEqual(Math.max(few, 300));
  },
);

test('a list too long for one answer is read only up to the limit of the answer', long, async () => {
  const campaignIds = [small.campaignId, large.campaignId];
  const read = await rowsRead(async (tx) => {
    // Postgres would scan and sort a table of this size, but not one with millions of rows.
    await sql`set local enable_seqscan = off`.execute(tx);
    await sql`set local enable_bitmapscan = off`.execute(tx);
    expect(await numbersOfPage(tx, { organizationId: acme.id, campaignIds })).toBeNull();
  });
  expect(read).toBeLessThanOrEqual(10_000);
});

test('an export is streamed: the memory that it takes does not grow with its rows', long, async () => {
  const before = process.memoryUsage().rss;
  let most = before;
  let rows = 0;
  const response = await fetch(
    `${world.client.base}/api/v1/campaigns/${large.campaignId}/export?of=recipients&format=ndjson`,
    {
      headers: { 'X-API-Key': acme.keys.admin },
    },
  );
  for await (const chunk of response.body ?? []) {
    rows += Buffer.from(chunk).filter((byte) => byte === 10).length;
    most = Math.max(most, process.memoryUsage().rss);
  }
  expect(rows).toBe(largest);
  expect(most - before).toBeLessThan(150 * 1024 * 1024);
});
