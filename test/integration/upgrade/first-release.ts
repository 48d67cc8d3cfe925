import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from '@outdial/db';
import { sql } from 'kysely';
import { Migrator, type Migration } from 'kysely/migration';
import pg from 'pg';
import * as initial from '../../../db/migrations/0001_initial.ts';
import * as knowledgeBases from '../../../db/migrations/0002_knowledge_bases.ts';

/** The duration of calls in the first release. */
const talkMs = 40;

/** The schema of the first release. */
const migrations: Record<string, Migration> = {
  '0001_initial': initial,
  '0002_knowledge_bases': knowledgeBases,
};

export async function migrateToFirstRelease(databaseUrl: string): Promise<void> {
  const db = connect({ databaseUrl, poolMax: 1, applicationName: 'first-release' });
  try {
    const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } });
    const { error } = await migrator.migrateToLatest();
    if (error !== undefined) throw new Error('the first release could not be made', { cause: error });
  } finally {
    await db.destroy();
  }
}

export interface EarlyCampaign {
  organizationId: string;
  campaignId: string;
  /** Numbers by the state of their recipients when the upgrade began. */
  numbers: Record<'waiting' | 'reached' | 'calledOnce' | 'claimed', string[]>;
}

const numbersOf = (area: string, count: number) =>
  Array.from({ length: count }, (_, n) => `+1${area}2${String(n).padStart(4, '0')}00`);

/**
 * A campaign in progress, as rows of the first release: recipients who wait, were reached or are due for a call-back, and recipients of a worker that
 * has just died.
 */
export async function seedRunningCampaign(databaseUrl: string): Promise<EarlyCampaign> {
  const db = connect({ databaseUrl, poolMax: 1, applicationName: 'first-release' });
  const [organizationId, userId, agentId, campaignId] = [
    randomUUID(),
    randomUUID(),
    randomUUID(),
    randomUUID(),
  ];
  const numbers = {
    waiting: numbersOf('555', 240),
    reached: numbersOf('556', 30),
    calledOnce: numbersOf('557', 15),
    claimed: numbersOf('558', 5),
  };
  const all = Object.entries(numbers).flatMap(([kind, list]) => list.map((number) => ({ kind, number })));
  try {
    await sql`insert into providers (name, adapter) values ('simulator', 'simulator')`.execute(db);
    await sql`insert into organizations (id, name, lines_in_use) values (${organizationId}, 'Acme', 5)`.execute(
      db,
    );
    await sql`insert into users (id, organization_id, email, first_name, last_name, role)
      values (${userId}, ${organizationId}, 'ada@example.com', 'Ada', 'Admin', 'admin')`.execute(db);
    await sql`insert into agents (id, organization_id, name) values (${agentId}, ${organizationId}, 'Caller')`.execute(
      db,
    );
    await sql`insert into agent_prompts (organization_id, agent_id, level, prompt)
      values (${organizationId}, ${agentId}, 1, 'Hello.')`.execute(db);
    await sql`insert into campaigns (id, organization_id, name, agent_id, status, start_at, start_time, end_time,
        timezone, zones, created_by, started_by)
      values (${campaignId}, ${organizationId}, 'Reminders', ${agentId}, 'running', engine_now() - interval '1 hour',
        '00:00', '24:00', 'UTC', '{UTC}', ${userId}, ${userId})`.execute(db);
    await sql`insert into campaign_configs (organization_id, campaign_id, call_on_weekend, call_back_attempts,
        retry_delay_seconds, max_concurrent_calls)
      values (${organizationId}, ${campaignId}, true, 2, 60, 20)`.execute(db);
    await sql`insert into campaign_runtime (campaign_id, organization_id, provider, lines_in_use, wake_at, next_dial_at)
      values (${campaignId}, ${organizationId}, 'simulator', 5, engine_now(), engine_now())`.execute(db);
    await sql`
      insert into campaign_recipients (organization_id, campaign_id, position, phone_number, timezone, state, attempts,
        round_attempts, next_attempt_at, first_attempt_at, last_outcome, claim_id, claim_provider, lease_expires_at)
      select ${organizationId}, ${campaignId}, position, number, 'UTC',
        case kind when 'reached' then 'done' when 'claimed' then 'claimed' else 'pending' end,
        called, called,
        case when kind in ('waiting', 'calledOnce') then engine_now() end,
        case when called = 1 then engine_now() - interval '10 minutes' end,
        case kind when 'reached' then 'completed' when 'calledOnce' then 'no_answer' end,
        case kind when 'claimed' then gen_random_uuid() end,
        case kind when 'claimed' then 'simulator' end,
        case kind when 'claimed' then engine_now() + interval '1 second' end
      from (
        select number, kind, position, case when kind in ('reached', 'calledOnce') then 1 else 0 end as called
        from unnest(${all.map(({ number }) => number)}::text[], ${all.map(({ kind }) => kind)}::text[])
          with ordinality as listed (number, kind, position)) people`.execute(db);
    await sql`
      insert into calls (id, organization_id, agent_id, campaign_id, recipient_id, attempt, provider, phase, outcome,
        phone_number, prompt_id, created_by, created_at, gated_at, accepted_at, ended_at)
      select new_id(), organization_id, ${agentId}, campaign_id, id, 1, 'simulator', 'ended', last_outcome, phone_number,
        (select max(id) from agent_prompts), ${userId}, at, at, at, at
      from (select *, engine_now() - interval '10 minutes' as at from campaign_recipients where attempts = 1) called`.execute(
      db,
    );
  } finally {
    await db.destroy();
  }
  return { organizationId, campaignId, numbers };
}

/**
 * Writes what a worker of the first release writes for a call, until it is stopped: a claim, a gate and an end, with that release's order of locks.
 * Returns the called numbers, and the longest duration of a transaction.
 */
export function earlyWorker(databaseUrl: string, { organizationId, campaignId }: EarlyCampaign) {
  let isStopped = false;
  const called: string[] = [];
  let longestMs = 0;
  async function transaction(client: pg.Client, statements: ReadonlyArray<[string, unknown[]]>) {
    const startedAt = performance.now();
    await client.query('begin');
    let rows: Array<Record<string, unknown>> = [];
    for (const [text, values] of statements) {
      rows = (await client.query<Record<string, unknown>>(text, values)).rows;
    }
    await client.query('commit');
    longestMs = Math.max(longestMs, performance.now() - startedAt);
    return rows;
  }
  async function work() {
    const client = new pg.Client({ connectionString: databaseUrl, application_name: 'first-release' });
    await client.connect();
    try {
      while (!isStopped) {
        const claimId = randomUUID();
        const lockCampaign: [string, unknown[]] = [
          'select 1 from campaigns where organization_id = $1 and id = $2 for share',
          [organizationId, campaignId],
        ];
        const [claimed] = await transaction(client, [
          lockCampaign,
          [
            `update campaign_recipients set state = 'claimed', claim_id = $2, claim_provider = 'simulator', next_attempt_at = null,
               lease_expires_at = engine_now() + interval '30 seconds'
             where campaign_id = $1 and id = (select id from campaign_recipients
               where campaign_id = $1 and state = 'pending' and attempts = 0 order by position limit 1 for update skip locked)
             returning id, phone_number`,
            [campaignId, claimId],
          ],
        ]);
        if (claimed === undefined) return;
        await transaction(client, [
          lockCampaign,
          [
            `insert into calls (id, organization_id, agent_id, campaign_id, recipient_id, provider, phase, phone_number,
               prompt_id, created_by, created_at, gated_at, check_at, line_held)
             select $3, c.organization_id, c.agent_id, c.id, $4, 'simulator', 'placing', $5, (select max(id) from agent_prompts),
               c.started_by, engine_now(), engine_now(), engine_now() + interval '1 minute', true
             from campaigns c where c.organization_id = $1 and c.id = $2`,
            [organizationId, campaignId, claimId, claimed['id'], claimed['phone_number']],
          ],
          [
            `update campaign_recipients set state = 'dialing', lease_expires_at = null, attempts = 1, round_attempts = 1,
               first_attempt_at = engine_now() where campaign_id = $1 and id = $2`,
            [campaignId, claimed['id']],
          ],
        ]);
        called.push(String(claimed['phone_number']));
        await sleep(talkMs);
        await transaction(client, [
          lockCampaign,
          [
            `update calls set phase = 'ended', outcome = 'completed', accepted_at = engine_now(), ended_at = engine_now(),
               check_at = null, line_held = false where id = $1`,
            [claimId],
          ],
          [
            `update campaign_recipients set state = 'done', last_outcome = 'completed', claim_id = null, claim_provider = null
             where campaign_id = $1 and id = $2`,
            [campaignId, claimed['id']],
          ],
        ]);
      }
    } finally {
      await client.end();
    }
  }
  const ended = work();
  return {
    called,
    async stop() {
      isStopped = true;
      await ended;
      return { longestMs };
    },
  };
}
