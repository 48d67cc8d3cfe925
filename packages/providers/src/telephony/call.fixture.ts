import { randomUUID } from 'node:crypto';
import type { CallReference, PlaceCallRequest } from '@outdial/core';

/** The request for a call, as the engine sends it. */
export function callRequest(change: Partial<PlaceCallRequest> = {}): PlaceCallRequest {
  return {
    callId: randomUUID(),
    organizationId: randomUUID(),
    agentId: randomUUID(),
    campaignId: null,
    attempt: 1,
    toPhone: '+15557000100',
    fromPhone: null,
    systemPrompt: 'Say hello.',
    promptParams: {},
    meta: {},
    agent: { name: 'Caller', config: {}, skills: [] },
    gatedAt: new Date(),
    ringTimeoutSeconds: 30,
    maxCallSeconds: 600,
    ...change,
  };
}

/** A call that was sent just now. */
export function callReference(change: Partial<CallReference> = {}): CallReference {
  const { callId, organizationId, toPhone, attempt, systemPrompt, gatedAt } = callRequest();
  return {
    callId,
    organizationId,
    conversationId: null,
    toPhone,
    attempt,
    systemPrompt,
    gatedAt,
    recordingUrl: null,
    now: gatedAt,
    ...change,
  };
}
