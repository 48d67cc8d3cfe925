import { renderPrompt, type CallReference } from '@outdial/core';
import type { LiveCall } from '@outdial/db';

/** Identifies a call in a request to its provider. */
export function referenceTo(call: LiveCall): CallReference {
  return {
    callId: call.id,
    organizationId: call.organization_id,
    conversationId: call.conversation_id,
    toPhone: call.phone_number,
    fromPhone: call.from_phone,
    attempt: call.attempt,
    systemPrompt: renderPrompt(call.prompt, call.prompt_params).text,
    gatedAt: call.gated_at,
    recordingUrl: call.recording_url,
    now: call.now,
  };
}
