import { defaultCallerIdRules, type CallerIdRules } from '@outdial/core';
import { sql } from 'kysely';
import { noteChange } from '../audit/audit-scope.ts';
import type { CallerIdRulesJson } from '../schema/caller-ids.ts';
import type { Executor } from '../transaction.ts';

export function callerIdRulesOf(set: CallerIdRulesJson): CallerIdRules {
  return { ...defaultCallerIdRules, ...set };
}

export async function findCallerIdRules(db: Executor, organizationId: string): Promise<CallerIdRules> {
  const row = await db
    .selectFrom('organizations')
    .select('caller_id_rules')
    .where('id', '=', organizationId)
    .executeTakeFirst();
  return callerIdRulesOf(row?.caller_id_rules ?? {});
}

/** Only the named fields change. */
export async function setCallerIdRules(
  db: Executor,
  organizationId: string,
  change: CallerIdRulesJson,
): Promise<void> {
  const before = await findCallerIdRules(db, organizationId);
  await sql`
    update organizations set caller_id_rules = caller_id_rules || ${JSON.stringify(change)}::jsonb
    where id = ${organizationId}`.execute(db);
  const after = await findCallerIdRules(db, organizationId);
  noteChange({
    type: 'organization',
    id: organizationId,
    before: { caller_id_rules: before },
    after: { caller_id_rules: after },
  });
}
