/** The statements that the api runs for three of its operations, as Postgres logs them (`log_statement = 'all'`). Keep them in step with the api. */
export const agentContext = `
  select engine_now() as now, a.id, a.organization_id, a.name, a.config, o.default_provider, p.id as prompt_id, p.prompt,
    coalesce((select jsonb_agg(jsonb_build_object('id', s.id, 'type', s.type, 'exec_order', s.exec_order,
                'enabled', s.enabled, 'config', s.config) order by s.exec_order, s.id)
              from agent_skills s where s.organization_id = a.organization_id and s.agent_id = a.id), '[]') as skills
  from agents a join organizations o on o.id = a.organization_id
  left join lateral (select id, prompt from agent_prompts
                     where organization_id = a.organization_id and agent_id = a.id order by id desc limit 1) p on true
  where a.id = $1 and a.organization_id = $2`;

export const suppression = `
  select phone_number from suppressions where organization_id = $1 and phone_number = $2`;

export const provider = 'select name from providers where name = $1';

export const insertCall = `
  insert into calls (id, organization_id, agent_id, attempt, provider, phase, phone_number, from_phone, prompt_id,
    prompt_params, meta, created_by, created_at, queue_deadline_at, events)
  select new_id(), $1, $2, 1, $3, 'queued', $4,
    $5, $6, $7::jsonb,
    $8::jsonb, $9, t.now,
    t.now + $10 * interval '1 second',
    case when cardinality($11::text[]) = 0 then '[]'::jsonb
      else jsonb_build_array(jsonb_build_object('type', 'prompt_placeholder_missing', 'at', to_char(
        t.now at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'names', to_jsonb($12::text[]))) end
  from (select engine_now() as now) t
  returning id`;

export const findCall = `
  select c.id, c.organization_id, c.agent_id, c.campaign_id, c.recipient_id, c.attempt, c.provider, c.phase, c.outcome,
    c.phone_number, p.prompt, c.prompt_params, c.meta, c.conversation_id, c.transcript, c.duration_seconds, c.cost,
    c.recording_url, c.call_extract, c.external_status, c.events, c.created_at, c.gated_at,
    u.id as creator_id, u.first_name as creator_first_name, u.last_name as creator_last_name
  from calls c
  join agent_prompts p on p.id = c.prompt_id
  join users u on u.id = c.created_by
  where c.organization_id = $1 and c.id = $2`;

export const countCampaigns = 'select count(*) as count from campaigns where organization_id = $1';

export const listCampaigns = `
  select c.id, c.organization_id, c.name, c.agent_id, c.status, c.start_at, c.end_at, c.start_time, c.end_time,
    c.additional_params, c.created_at, r.next_dial_at, r.waiting_for
  from campaigns as c
  inner join campaign_runtime as r on r.organization_id = c.organization_id and r.campaign_id = c.id
  where c.organization_id = $1 order by c.created_at desc, c.id desc limit $2 offset $3`;

export const pageNumbers = `
  select place, count(*)::integer as count, json_agg(phone_number order by position)::text as numbers
  from (
    select places.place::integer as place, numbers.phone_number, numbers.position
    from unnest($1::uuid[]) with ordinality as places (campaign_id, place)
    cross join lateral (
      select r.phone_number, r.position from campaigns c
      join campaign_recipients r on r.organization_id = c.organization_id and r.campaign_id = c.id
      where c.organization_id = $2 and c.id = places.campaign_id
        and (r.withdrawn_at is null or r.withdrawn_at >= c.ended_at)
      order by r.position) numbers
    order by places.place limit $3) numbers
  group by place`;
