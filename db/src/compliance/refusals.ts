import { sql, type RawBuilder } from 'kysely';

/** Why an attempt was undone after its gate. If a gate refuses a repeated send, its reason is used instead. */
export type UndoneFor =
  /** The provider asked to wait or could not be reached. */
  | 'provider_deferred'
  /** The send failed before it started, or would have started too late. */
  | 'not_sent'
  /** The call was withdrawn from its provider's queue, by us or by another party. */
  | 'withdrawn_at_provider';

/**
 * Counts refusals for the receipts. A common table expression.
 * @param of rows of locked recipients with `id`, `organization_id`, `campaign_id`, `refused`, `refused_at`, `grounds_id` and `person_check`
 */
export function refusalsCounted(of: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
      insert into gate_refusals as f
        (recipient_id, organization_id, campaign_id, counts, first_at, last_at, last_reason, last_grounds_id, last_person_check)
      select id, organization_id, campaign_id, jsonb_build_object(refused, 1), refused_at, refused_at, refused, grounds_id, person_check
      from ${of}
      on conflict (recipient_id) do update
      set counts = f.counts || jsonb_build_object(excluded.last_reason, coalesce((f.counts ->> excluded.last_reason)::int, 0) + 1),
          last_at = excluded.last_at, last_reason = excluded.last_reason,
          last_grounds_id = excluded.last_grounds_id, last_person_check = excluded.last_person_check`;
}
