import type { Call, callFilterShape } from '@outdial/contracts';
import { publicCallStatus, renderPrompt } from '@outdial/core';
import type { CallRow, CallFilters } from '@outdial/db';
import type { z } from 'zod';

/** The size limit of a call: its prompt, values, meta and transcript, each with its own limit. */
export const callBytesAtMost = 1024 * 1024;

/** A call as the interface shows it. `baseUrl` is the public URL of this service. */
export function callView(row: CallRow, baseUrl: string): Call {
  return {
    id: row.id,
    agent_id: row.agent_id,
    organization_id: row.organization_id,
    provider: row.kind,
    status: publicCallStatus(row.phase, row.outcome),
    type: row.kind === 'phone_outbound' ? 'outbound' : 'inbound',
    // Erased people, browsers and callers who withhold their number have none.
    phone_number: row.phone_number.startsWith('+') ? row.phone_number : null,
    conversation_id: row.conversation_id,
    transcript: row.transcript,
    duration: row.duration_seconds,
    cost: Number(row.cost),
    notes: row.notes,
    recording_url: row.recording_url === null ? null : `${baseUrl}/api/v1/calls/${row.id}/recording`,
    events: row.events,
    prompt_params: row.prompt_params,
    call_extract: row.call_extract,
    external_last_status: row.external_status,
    meta: metaOf(row),
    system_prompt: systemPrompt(row),
    comments: row.comments,
    quality: row.quality,
    created_by: creatorOf(row),
    created_at: row.created_at.toISOString(),
    tags: row.tags,
  };
}

export function systemPrompt(row: Pick<CallRow, 'prompt' | 'prompt_params'>): string {
  return renderPrompt(row.prompt, row.prompt_params ?? {}).text;
}

/** Null for an inbound telephone call. */
function creatorOf({ creator_id, creator_first_name, creator_last_name }: CallRow): Call['created_by'] {
  if (creator_id === null || creator_first_name === null || creator_last_name === null) return null;
  return { id: creator_id, first_name: creator_first_name, last_name: creator_last_name };
}

/** The caller's fields; the engine's names override them. `outcome` belongs to the engine before the end too, so that it always means the same. */
function metaOf(row: CallRow): Record<string, unknown> {
  const { outcome: _, ...own } = row.meta ?? {};
  return {
    ...own,
    ...(row.outcome === null ? {} : { outcome: row.outcome }),
    ...(row.consent_id === null ? {} : { consent_id: row.consent_id }),
    ...(row.campaign_id === null
      ? {}
      : { campaign_id: row.campaign_id, recipient_id: row.recipient_id, attempt: row.attempt }),
  };
}

export function callFilters(query: z.output<z.ZodObject<typeof callFilterShape>>): CallFilters {
  return {
    campaignId: query.campaign_id,
    agentId: query.agent_id,
    phoneNumber: query.phone_number,
    status: query.status,
    outcome: query.outcome,
    from: query.from,
    to: query.to,
  };
}
