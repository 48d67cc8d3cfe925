import type { CallerPlace, CampaignPurpose, ConsentRule, RetryPolicy } from '@outdial/core';
import type { ProviderCircuit } from '../providers/provider-state.ts';
import type { GateRefusal } from './conditions.ts';
import type { PersonCapsJson } from '../schema/compliance.ts';
import { windowColumns, type OpenWindow } from './open-windows.ts';

/** The parameters of a gate that all of a campaign's dials share. */
export interface GateTerms {
  organizationId: string;
  campaignId: string;
  /** The revision of the other fields. The gate refuses an outdated one. */
  revision: number;
  windows: readonly OpenWindow[];
  policy: RetryPolicy;
  purpose: CampaignPurpose | null;
  consent: ConsentRule;
  /** The scrub lists that the campaign requires; null for none. */
  scrubLists: readonly string[] | null;
  /** The caps per person in the grounds of the windows; null for none. */
  personCaps: PersonCapsJson | null;
  /** How many gates the calls per second leave now (`paceAllowance`); null without a pace. */
  paceLeft: number | null;
  agentId: string;
  promptId: string;
  promptParams: Record<string, string>;
  /** The agent's number. If the organization has caller ids, each call uses its own. */
  fromPhone: string | null;
  needsCallerId: boolean;
  createdBy: string;
  /** When to look up a call with an unknown result after the gate. */
  lookUpGraceMs: number;
}

/** A due recipient that is locked, and the id that its call will have. */
export interface GateDial {
  recipientId: string;
  callId: string;
  /** Whether the limits of the organization, as of the revision of the terms, allow the number of the recipient. */
  isAllowedDestination: boolean;
}

export interface GatePass {
  callId: string;
  toPhone: string;
  fromPhone: string | null;
  provider: string;
  promptParams: Record<string, string>;
  /** What the caller said of the person's location. */
  place: CallerPlace;
  gatedAt: Date;
  /** The provider's circuit at the gate; null if it was not read. */
  circuit: ProviderCircuit | null;
}

/** The attempt counts from 1. */
export type GateAnswer =
  | { kind: 'passed'; pass: GatePass; attempt: number }
  | ({ kind: 'refused' } & GateRefusal);

export function valuesOf(terms: GateTerms, dials: readonly GateDial[]) {
  const { policy, windows } = terms;
  return {
    organizationId: terms.organizationId,
    campaignId: terms.campaignId,
    recipientIds: dials.map((dial) => dial.recipientId),
    callIds: dials.map((dial) => dial.callId),
    areAllowed: dials.map((dial) => dial.isAllowedDestination),
    revision: terms.revision,
    ...windowColumns(windows),
    maxAttempts: policy.maxAttemptsPerRecipient,
    callBackAttempts: policy.callBackAttempts,
    queueAgain: policy.queueAgain,
    retryOn: policy.retryOn,
    purpose: terms.purpose,
    needsConsent: terms.consent.isRequired,
    consentBases: terms.consent.isRequired ? terms.consent.bases : null,
    scrubLists: terms.scrubLists,
    queryDays: terms.consent.queryDays ?? null,
    personCaps: terms.personCaps && JSON.stringify(terms.personCaps),
    paceLeft: terms.paceLeft,
    agentId: terms.agentId,
    promptId: terms.promptId,
    promptParams: JSON.stringify(terms.promptParams),
    fromPhone: terms.fromPhone,
    createdBy: terms.createdBy,
    lookUpGraceMs: terms.lookUpGraceMs,
  };
}

export type GateValues = ReturnType<typeof valuesOf>;
