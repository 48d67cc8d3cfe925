import { sql, type RawBuilder } from 'kysely';

/**
 * Why an attempt was undone after its gate had let it through. A repeated placement that its gate refuses is undone for that gate's
 * reason instead.
 */
export type UndoneFor =
  /** The organization may no longer call the country or the kind of number. */
  | 'number_refused'
  /** The provider asked to wait, could not be reached, or had no room. */
  | 'provider_deferred'
  /** The send failed before it began, or would have begun too late. */
  | 'not_sent'
  /** The call waited in its provider's queue and was taken back before it was dialed: by us, because its campaign or window had closed or it had waited too long, or at the provider. */
  | 'withdrawn_at_provider';

/**
 * For a statement that refuses recipients: counts each row of its step `of` for the receipts. The step has `id`, `organization_id` and
 * `campaign_id` of the recipient, `refused`, `refused_at`, `grounds_id` and `person_check`, and has locked the recipient.
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
