import type { CallKind, CallPhase, Outcome } from '@outdial/core';
import { sql } from 'kysely';
import type { CallEvent } from '../schema/calls.ts';
import type { JsonObject } from '../schema/columns.ts';

/** A call with its prompt and creator. */
export interface CallRow {
  id: string;
  organization_id: string;
  agent_id: string;
  campaign_id: string | null;
  recipient_id: string | null;
  attempt: number;
  provider: string;
  kind: CallKind;
  phase: CallPhase;
  outcome: Outcome | null;
  phone_number: string;
  prompt: string;
  prompt_params: Record<string, string> | null;
  meta: JsonObject | null;
  conversation_id: string | null;
  transcript: string | null;
  duration_seconds: number | null;
  /** A numeric as text. */
  cost: string;
  recording_url: string | null;
  call_extract: JsonObject | null;
  external_status: string | null;
  events: CallEvent[];
  created_at: Date;
  gated_at: Date | null;
  consent_id: string | null;
  notes: string | null;
  comments: string | null;
  quality: number | null;
  tags: Array<{ id: string; name: string }>;
  /** Null for an inbound call, and so are both names. */
  creator_id: string | null;
  creator_first_name: string | null;
  creator_last_name: string | null;
}

export const selectCallRowText = `
  select c.id, c.organization_id, c.agent_id, c.campaign_id, c.recipient_id, c.attempt, c.provider, c.kind, c.phase, c.outcome,
    c.phone_number, p.prompt, c.prompt_params, c.meta, c.conversation_id, c.transcript, c.duration_seconds, c.cost,
    c.recording_url, c.call_extract, c.external_status, c.events, c.created_at, c.gated_at, c.consent_id,
    c.notes, c.comments, c.quality,
    case when c.tag_ids = '{}' then '[]' else
      (select coalesce(jsonb_agg(jsonb_build_object('id', t.id, 'name', t.name) order by t.name), '[]')
         from tags t where t.organization_id = c.organization_id and t.id = any(c.tag_ids)) end as tags,
    u.id as creator_id, u.first_name as creator_first_name, u.last_name as creator_last_name
  from calls c
  join agent_prompts p on p.id = c.prompt_id
  left join users u on u.id = c.created_by`;

export const selectCallRow = sql.raw(selectCallRowText);
