import type { CampaignPurpose } from '@outdial/core';
import { type RawBuilder, sql } from 'kysely';
import { prepared } from '../postgres/prepared.ts';
import type { JsonObject } from '../schema/columns.ts';
import type { Tx } from '../transaction.ts';
import type { AgentKey } from '../keys.ts';

export interface NewDirectCall extends AgentKey {
  provider: string;
  toPhone: string;
  fromPhone: string | null;
  promptId: string;
  /** Placeholders of the prompt without a value, for the call's events. */
  missingPlaceholders: readonly string[];
  promptParams: Record<string, string> | null;
  meta: JsonObject | null;
  purpose: CampaignPurpose | null;
  createdBy: string;
  queueTimeoutSeconds: number;
}

/** The first events of a call, with those placeholders of its prompt that have no value. Uses the instant `t.now`. */
export function eventsOfPlaceholders({
  missingPlaceholders: names,
}: Pick<NewDirectCall, 'missingPlaceholders'>): RawBuilder<unknown> {
  return sql`case when cardinality(${names}::text[]) = 0 then '[]'::jsonb
    else jsonb_build_array(jsonb_build_object('type', 'prompt_placeholder_missing', 'at', to_char(
      t.now at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'names', to_jsonb(${names}::text[]))) end`;
}

/** Inserts a direct call, which waits for a line until its deadline. Null if the provider does not exist. */
export async function insertDirectCall(tx: Tx, call: NewDirectCall): Promise<string | null> {
  const { rows } = await sql<{ id: string }>`
    insert into calls (id, organization_id, agent_id, attempt, provider, phase, phone_number, from_phone, prompt_id,
      prompt_params, meta, purpose, created_by, created_at, queue_deadline_at, events)
    select new_id(), ${call.organizationId}, ${call.agentId}, 1, p.name, 'queued', ${call.toPhone},
      ${call.fromPhone}, ${call.promptId}, ${call.promptParams === null ? null : JSON.stringify(call.promptParams)}::jsonb,
      ${call.meta === null ? null : JSON.stringify(call.meta)}::jsonb, ${call.purpose}, ${call.createdBy}, t.now,
      t.now + ${call.queueTimeoutSeconds} * interval '1 second',
      ${eventsOfPlaceholders(call)}
    from providers p, (select engine_now() as now) t where p.name = ${call.provider}
    returning id`.execute(prepared(tx));
  return rows[0]?.id ?? null;
}
