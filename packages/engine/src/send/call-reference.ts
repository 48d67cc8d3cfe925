import { renderPrompt, type CallReference } from '@outdial/core';
import type { LiveCall } from '@outdial/db';

/** Identifies a call in a request to its provider. */
export function referenceTo(call: LiveCall): CallReference {
  return {
    callId: call.id,
    organizationId: call.organizationId,
    conversationId: call.conversationId,
    toPhone: call.toPhone,
    fromPhone: call.fromPhone,
    attempt: call.attempt,
    systemPrompt: renderPrompt(call.prompt, call.promptParams).text,
    gatedAt: call.gatedAt,
    recordingUrl: call.recordingUrl,
    now: call.now,
  };
}
