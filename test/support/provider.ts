import { randomUUID } from 'node:crypto';
import type { CallReference, PlaceCallRequest, TelephonyProvider } from '@outdial/core';
import { buildProvider } from '@outdial/providers';
import type { AdapterName } from '@outdial/providers/environment';

/**
 * The adapter of a row with these settings, which is named like its adapter.
 * @throws if the settings are not valid
 */
export function providerOf(
  adapter: AdapterName,
  installation: Parameters<typeof buildProvider>[1],
  settings: Record<string, unknown> = {},
): TelephonyProvider {
  const provider = buildProvider({ name: adapter, adapter, settings }, installation);
  if (provider === null) throw new Error(`no ${adapter}`);
  return provider;
}

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
