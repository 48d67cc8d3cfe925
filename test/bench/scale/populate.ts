import { sql } from 'kysely';
import type { Db } from '@outdial/db';

export interface Population {
  /** Running campaigns that wait for their window. */
  campaigns: number;
  /** Ended campaigns, whose rows still exist. */
  endedCampaigns: number;
  /** Calls in progress, spread over the running campaigns, each with its recipient and its line. */
  liveCalls: number;
  provider: string;
}

/** Fills a migrated database with the consistent state of a large installation, with plain inserts. */
export async function populate(db: Db, population: Population): Promise<void> {
  const { campaigns, endedCampaigns, liveCalls, provider } = population;
  await sql`analyze organizations, agents, users`.execute(db);
  await sql`
    insert into campaigns (organization_id, name, agent_id, status, start_at, start_time, end_time, timezone, calling_keys,
      created_by, started_by, ended_at)
    select o.id, 'Campaign ' || n, a.id, case when n <= ${campaigns} then 'running' else 'finished' end, now(), '09:00',
      '17:00', 'UTC', '{UTC}', u.id, u.id, case when n > ${campaigns} then now() end
    from generate_series(1, ${campaigns + endedCampaigns}) as n
    join (select *, row_number() over (order by id) - 1 as k, count(*) over () as many from organizations) o
      on o.k = n % o.many
    join agents a on a.organization_id = o.id join users u on u.organization_id = o.id`.execute(db);
  await sql`
    update campaign_configs set max_concurrent_calls = 1000000`.execute(db);
  await sql`
    insert into campaign_runtime (campaign_id, organization_id, provider, wake_at)
    select id, organization_id, ${provider}, case when status = 'running' then now() + interval '1 day' end
    from campaigns`.execute(db);
  if (liveCalls > 0) await addLiveCalls(db, liveCalls, provider);
  await sql`vacuum analyze`.execute(db);
}

async function addLiveCalls(db: Db, count: number, provider: string): Promise<void> {
  await sql`
    with c as (
      select id, organization_id, row_number() over (order by id) - 1 as k, count(*) over () as many
      from campaigns where status = 'running')
    insert into campaign_recipients (organization_id, campaign_id, position, phone_number, calling_key, state, attempts,
      round_attempts, first_attempt_at, call_id)
    select c.organization_id, c.id, n, '+1555' || lpad((n * 100)::text, 9, '0'), 'UTC', 'dialing', 1, 1, now(), new_id()
    from generate_series(1, ${count}) as n join c on c.k = n % c.many`.execute(db);
  // Without statistics, foreign key checks would scan whole campaigns.
  await sql`analyze campaigns, campaign_recipients, agent_prompts`.execute(db);
  await sql`
    insert into calls (id, organization_id, agent_id, campaign_id, recipient_id, attempt, provider, phase, phone_number,
      prompt_id, prompt_params, conversation_id, created_by, created_at, gated_at, accepted_at, check_at, line_held)
    select r.call_id, r.organization_id, g.agent_id, r.campaign_id, r.id, 1, ${provider}, 'placing', r.phone_number,
      (select min(p.id) from agent_prompts p where p.agent_id = g.agent_id), '{"name": "Ada"}', 'c-' || r.call_id,
      g.created_by, now(), now(), now(), now() + interval '1 hour', true
    from campaign_recipients r join campaigns g on g.id = r.campaign_id where r.state = 'dialing'`.execute(
    db,
  );
  await sql`
    update campaign_runtime rt set lines_in_use = x.count
    from (select campaign_id, count(*) as count from calls group by 1) x where x.campaign_id = rt.campaign_id`.execute(
    db,
  );
  await sql`
    update organizations o set lines_in_use = x.count
    from (select organization_id, count(*) as count from calls group by 1) x where x.organization_id = o.id`.execute(
    db,
  );
  await sql`update providers set lines_in_use = ${count} where name = ${provider}`.execute(db);
}
