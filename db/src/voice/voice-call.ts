import type { CallerPlace, CallKind } from '@outdial/core';
import { sql } from 'kysely';
import { callerPlace } from '../send/caller-place.ts';
import type { StoredPlace } from '../schema/campaigns.ts';
import type { JsonObject } from '../schema/columns.ts';
import type { Executor } from '../transaction.ts';

/** The data that a voice process needs for a call. */
export interface VoiceCall {
  id: string;
  organizationId: string;
  agentId: string;
  campaignId: string | null;
  /** The name of its row in `providers`. */
  provider: string;
  agentName: string;
  config: JsonObject;
  skills: Array<{ id: string; type: string; exec_order: string; enabled: boolean; config: JsonObject }>;
  prompt: { text: string; mitigation: string; harmfulIntents: unknown[] };
  promptParams: Record<string, string>;
  kind: CallKind;
  /** Null for a call in a browser, and for a caller who withholds the number. */
  phoneNumber: string | null;
  /** From which the call is made; null if the provider chooses it. */
  fromPhone: string | null;
  /** What the caller of the API said of the person's location. */
  place: CallerPlace;
}

/** Null if the organization has no such call, or if it is over. */
export async function findVoiceCall(
  db: Executor,
  { organizationId, callId }: { organizationId: string; callId: string },
): Promise<VoiceCall | null> {
  const { rows } = await sql<Omit<VoiceCall, 'place'> & { place: StoredPlace | null }>`
    select c.id, c.organization_id as "organizationId", c.agent_id as "agentId", c.campaign_id as "campaignId", c.provider,
      a.name as "agentName", a.config, c.kind,
      case when starts_with(c.phone_number, '+') then c.phone_number end as "phoneNumber",
      case when c.kind = 'phone_outbound' then c.from_phone end as "fromPhone", r.place,
      coalesce(c.prompt_params, '{}') as "promptParams",
      jsonb_build_object('text', p.prompt, 'mitigation', p.mitigation, 'harmfulIntents', p.harmful_intents) as prompt,
      coalesce((select jsonb_agg(jsonb_build_object('id', s.id, 'type', s.type, 'exec_order', s.exec_order,
                  'enabled', s.enabled, 'config', s.config) order by s.exec_order, s.id)
                from agent_skills s where s.organization_id = a.organization_id and s.agent_id = a.id), '[]') as skills
    from calls c
    join agents a on a.organization_id = c.organization_id and a.id = c.agent_id
    join agent_prompts p on p.id = c.prompt_id
    left join campaign_recipients r
      on r.organization_id = c.organization_id and r.campaign_id = c.campaign_id and r.id = c.recipient_id
    where c.organization_id = ${organizationId} and c.id = ${callId} and c.phase <> 'ended'`.execute(db);
  const [row] = rows;
  return row === undefined ? null : { ...row, place: callerPlace(row.place) };
}

/** Saves the transcript during the call, so that a process that dies loses at most one turn. A late one does not replace that of the end. */
export async function saveTranscriptSoFar(
  db: Executor,
  args: { organizationId: string; callId: string; transcript: string },
): Promise<void> {
  await sql`update calls set transcript = ${args.transcript}
    where organization_id = ${args.organizationId} and id = ${args.callId} and phase <> 'ended' and phone_number <> ''`.execute(
    db,
  );
}

/** Whether the call's record names a recording. It does not if the person was erased during the call. */
export async function hasRecording(
  db: Executor,
  { organizationId, callId }: { organizationId: string; callId: string },
): Promise<boolean> {
  const { rows } = await sql`
    select from calls
    where organization_id = ${organizationId} and id = ${callId} and recording_url is not null`.execute(db);
  return rows.length > 0;
}
