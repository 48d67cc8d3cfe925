import type { CarrierInstructionRules } from '@outdial/core';
import { sql, type RawBuilder } from 'kysely';
import type { Executor } from '../transaction.ts';

/** For `organizations o` and an agent's config, as JSON. */
export function carrierInstructionRulesSql(config: RawBuilder<unknown>): RawBuilder<CarrierInstructionRules> {
  return sql`jsonb_build_object(
    'allowsOwnTwiml', o.own_twiml, 'hosts', o.voice_hosts,
    'ownUrls', coalesce((select jsonb_agg(distinct url) from voice_processes), '[]'),
    'isOthersFromPhone', not o.has_caller_ids and ${isOthers(sql`${config} #>> '{telephony,from_phone}'`)})`;
}

/**
 * Whether a number is confirmed as the caller id of another organization than `o`. Without a plus, it is compared with the ends of their numbers,
 * because carriers read national numbers too.
 */
function isOthers(fromPhone: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`coalesce((
    select exists (
        select from caller_ids x where x.phone_number = '+' || f.digits and x.organization_id <> o.id and x.state <> 'pending')
      or (not f.has_plus and length(f.national) >= 5 and exists (
        select from caller_ids x
        where right(x.phone_number, length(f.national)) = f.national and x.organization_id <> o.id and x.state <> 'pending'))
    from (
      select ${fromPhone} ~ '^\\s*\\+' as has_plus, regexp_replace(${fromPhone}, '\\D', '', 'g') as digits,
        regexp_replace(regexp_replace(${fromPhone}, '\\D', '', 'g'), '^(011|0+)', '') as national) f), false)`;
}

export async function findCarrierInstructionRules(
  db: Executor,
  { organizationId, config }: { organizationId: string; config: Readonly<Record<string, unknown>> },
): Promise<CarrierInstructionRules> {
  const { rows } = await sql<{ rules: CarrierInstructionRules }>`
    select ${carrierInstructionRulesSql(sql`${JSON.stringify(config)}::jsonb`)} as rules
    from organizations o where o.id = ${organizationId}`.execute(db);
  const [row] = rows;
  if (!row) throw new Error('there is no such organization');
  return row.rules;
}
