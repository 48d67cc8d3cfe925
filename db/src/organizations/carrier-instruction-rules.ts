import type { CarrierInstructionRules } from '@outdial/core';
import { sql, type RawBuilder } from 'kysely';
import type { Executor } from '../transaction.ts';

/** For `organizations o`, as JSON. */
export const carrierInstructionRulesSql: RawBuilder<CarrierInstructionRules> = sql`jsonb_build_object(
  'allowsOwnTwiml', o.own_twiml, 'hosts', o.voice_hosts,
  'ownUrls', coalesce((select jsonb_agg(distinct url) from voice_processes), '[]'))`;

export async function findCarrierInstructionRules(
  db: Executor,
  organizationId: string,
): Promise<CarrierInstructionRules> {
  const { rows } = await sql<{ rules: CarrierInstructionRules }>`
    select ${carrierInstructionRulesSql} as rules from organizations o where o.id = ${organizationId}`.execute(
    db,
  );
  const [row] = rows;
  if (!row) throw new Error('there is no such organization');
  return row.rules;
}
