import { sql, type RawBuilder } from 'kysely';

interface ListChange {
  organizationId: string;
  campaignId: string;
  startAt: Date;
  now: Date;
}

/** The state of a withdrawn recipient `r` when it returns to the list. The gate checks suppressions again. */
export const stateOnReturn: RawBuilder<unknown> = sql`
  case when r.state in ('withdrawn', 'suppressed') then 'pending' else r.state end`;

/**
 * Returns withdrawn recipients to the list of their campaign. Recipients with attempts have to be planned afterwards (`replanRecipients`).
 * @param back a table of their ids with the new state, position, calling key, place and prompt values
 */
export function returnRecipients(back: string, change: ListChange): RawBuilder<unknown> {
  return sql`
    update campaign_recipients r
    set withdrawn_at = null, state = back.state, finish_reason = case back.state when 'pending' then null else r.finish_reason end,
        position = back.position, calling_key = back.calling_key, place = back.place, prompt_params = back.prompt_params,
        call_id = case back.state when 'pending' then null else r.call_id end,
        next_attempt_at = case
          when back.state <> 'pending' then r.next_attempt_at
          when r.attempts = 0 then ${change.startAt}::timestamptz
          else greatest(${change.now}::timestamptz, r.next_attempt_at) end
    from ${sql.table(back)} back
    where r.organization_id = ${change.organizationId} and r.campaign_id = ${change.campaignId} and r.id = back.id
    returning r.id, r.state, r.attempts`;
}
