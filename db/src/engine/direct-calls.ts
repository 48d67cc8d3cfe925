import { sql } from 'kysely';
import type { JsonObject } from '../schema/columns.ts';
import type { Executor, Tx } from '../transaction.ts';

export interface NewDirectCall {
  organizationId: string;
  agentId: string;
  provider: string;
  toPhone: string;
  fromPhone: string | null;
  promptId: string;
  /** Placeholders of the prompt without a value; the call's events list them from the start. */
  missingPlaceholders: readonly string[];
  promptParams: Record<string, string> | null;
  meta: JsonObject | null;
  createdBy: string;
  queueTimeoutSeconds: number;
}

/** Creates a direct call, which waits for a line until its deadline. */
export async function insertDirectCall(tx: Tx, call: NewDirectCall): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    insert into calls (id, organization_id, agent_id, attempt, provider, phase, phone_number, from_phone, prompt_id,
      prompt_params, meta, created_by, created_at, queue_deadline_at, events)
    select new_id(), ${call.organizationId}, ${call.agentId}, 1, ${call.provider}, 'queued', ${call.toPhone},
      ${call.fromPhone}, ${call.promptId}, ${call.promptParams === null ? null : JSON.stringify(call.promptParams)}::jsonb,
      ${call.meta === null ? null : JSON.stringify(call.meta)}::jsonb, ${call.createdBy}, t.now,
      t.now + ${call.queueTimeoutSeconds} * interval '1 second',
      case when cardinality(${call.missingPlaceholders}::text[]) = 0 then '[]'::jsonb
        else jsonb_build_array(jsonb_build_object('type', 'prompt_placeholder_missing', 'at', to_char(
          t.now at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'names', to_jsonb(${call.missingPlaceholders}::text[]))) end
    from (select engine_now() as now) t
    returning id`.execute(tx);
  const row = rows[0];
  if (!row) throw new Error('the call was not written');
  return row.id;
}

export async function isSuppressed(
  db: Executor,
  organizationId: string,
  phoneNumber: string,
): Promise<boolean> {
  const { rows } = await sql<{ is_suppressed: boolean }>`
    select exists (
        select from suppressions where organization_id = ${organizationId} and phone_number = ${phoneNumber}
          and (expires_at is null or expires_at > (select engine_now())))
      or exists (select from installation_suppressions where phone_number = ${phoneNumber}) as is_suppressed`.execute(
    db,
  );
  return rows[0]?.is_suppressed === true;
}
