import type { OpeningRules, RecordingMode } from '@outdial/core';
import { sql, type RawBuilder } from 'kysely';
import type { Executor } from '../transaction.ts';

/** The operator's disclosures and recording rules for an organization, as JSON. */
export function openingRulesSql(organizationId: RawBuilder<unknown>): RawBuilder<OpeningRules> {
  return sql`jsonb_build_object(
    'texts', coalesce((
      select jsonb_agg(jsonb_build_object('jurisdiction', d.jurisdiction, 'language', d.language, 'text', d.text)
        order by d.jurisdiction, d.language)
      from disclosures d where d.organization_id = ${organizationId}), '[]'),
    'recordings', coalesce((
      select jsonb_agg(jsonb_build_object('jurisdiction', r.jurisdiction, 'mode', r.mode) order by r.jurisdiction)
      from recording_rules r where r.organization_id = ${organizationId}), '[]'))`;
}

export async function findOpeningRules(db: Executor, organizationId: string): Promise<OpeningRules> {
  const { rows } = await sql<{ rules: OpeningRules }>`
    select ${openingRulesSql(sql`${organizationId}::uuid`)} as rules`.execute(db);
  return rows[0]?.rules ?? { texts: [], recordings: [] };
}

/** Null removes the text. */
export async function setDisclosure(
  db: Executor,
  organizationId: string,
  set: { jurisdiction: string; language: string; text: string | null },
): Promise<void> {
  const { jurisdiction, language, text } = set;
  await (
    text === null
      ? sql`
      delete from disclosures
      where organization_id = ${organizationId} and jurisdiction = ${jurisdiction} and language = ${language}`
      : sql`
      insert into disclosures (organization_id, jurisdiction, language, text, updated_at)
      values (${organizationId}, ${jurisdiction}, ${language}, ${text}, engine_now())
      on conflict (organization_id, jurisdiction, language) do update
        set text = excluded.text, updated_at = excluded.updated_at`
  ).execute(db);
}

/** Null removes the rule. */
export async function setRecordingRule(
  db: Executor,
  organizationId: string,
  set: { jurisdiction: string; mode: RecordingMode | null },
): Promise<void> {
  const { jurisdiction, mode } = set;
  await (
    mode === null
      ? sql`delete from recording_rules where organization_id = ${organizationId} and jurisdiction = ${jurisdiction}`
      : sql`
      insert into recording_rules (organization_id, jurisdiction, mode, updated_at)
      values (${organizationId}, ${jurisdiction}, ${mode}, engine_now())
      on conflict (organization_id, jurisdiction) do update
        set mode = excluded.mode, updated_at = excluded.updated_at`
  ).execute(db);
}
