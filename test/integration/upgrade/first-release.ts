import { randomUUID } from 'node:crypto';
import { connect } from '@outdial/db';
import { sql } from 'kysely';
import { Migrator, type Migration } from 'kysely/migration';
import * as initial from '../../../db/migrations/0001_initial.ts';
import * as knowledgeBases from '../../../db/migrations/0002_knowledge_bases.ts';

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
