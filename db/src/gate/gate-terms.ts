import type { CallerPlace, CampaignPurpose, ConsentRule, PersonCaps, RetryPolicy } from '@outdial/core';
import { sql, type RawBuilder } from 'kysely';
import type { ProviderCircuit } from '../providers/provider-state.ts';
import type { GateRefusal } from './conditions.ts';
import type { OpenWindow } from './open-windows.ts';
import type { CampaignKey } from '../keys.ts';

/** The parameters of a gate that all of a campaign's dials share. */
export interface GateTerms extends CampaignKey {
  windows: readonly OpenWindow[];
  policy: RetryPolicy;
  purpose: CampaignPurpose | null;
  consent: ConsentRule;
  /** The scrub lists that the campaign requires; null for none. */
  scrubLists: readonly string[] | null;
  /** The caps per person in the grounds of the windows; null for none. */
  personCaps: PersonCaps | null;
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

export const nilUuid = '00000000-0000-0000-0000-000000000000';

/** Terms of a dial that is not made. */
export const emptyTerms: GateTerms = {
  organizationId: nilUuid,
  campaignId: nilUuid,
  windows: [],
  policy: {
    callBackAttempts: 0,
    retryDelaySeconds: 0,
    retryDelaysSeconds: null,
    retryOn: [],
    queueAgain: false,
    maxAttemptsPerRecipient: null,
  },
  purpose: null,
  consent: { isRequired: false, bases: null },
  scrubLists: null,
  personCaps: null,
  paceLeft: null,
  agentId: nilUuid,
  promptId: '0',
  promptParams: {},
  fromPhone: null,
  needsCallerId: false,
  createdBy: nilUuid,
  lookUpGraceMs: 0,
};

/** A due recipient that is locked, and the id that its call will have. */
export interface GateDial {
  recipientId: string;
  callId: string;
  /** Whether the limits of the organization allow the number of the recipient. */
  isAllowedDestination: boolean;
  /** The caller id that was chosen for it. Null or absent if none was left, or none is needed. */
  callerId?: string | null;
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

/** The dials of one campaign in a gate. */
export interface CampaignDials {
  terms: GateTerms;
  dials: readonly GateDial[];
}

/** The parameters of the statement: the terms of each campaign, and one column for each field of the dials. */
export function valuesOf(campaigns: readonly CampaignDials[]) {
  const nthOf = new Map<string, number>();
  const dials = campaigns.flatMap(({ terms, dials: ofCampaign }) =>
    ofCampaign.map((dial, at) => {
      const nthOfOrganization = (nthOf.get(terms.organizationId) ?? 0) + 1;
      nthOf.set(terms.organizationId, nthOfOrganization);
      return { ...dial, campaignId: terms.campaignId, nth: at + 1, nthOfOrganization };
    }),
  );
  return {
    terms: JSON.stringify(campaigns.map(({ terms }) => termsRow(terms))),
    windows: campaigns.flatMap(({ terms: { campaignId, windows } }) =>
      windows.map((window) => ({ ...window, campaignId })),
    ),
    campaignIds: dials.map((dial) => dial.campaignId),
    recipientIds: dials.map((dial) => dial.recipientId),
    callIds: dials.map((dial) => dial.callId),
    areAllowed: dials.map((dial) => dial.isAllowedDestination),
    callerIds: dials.map((dial) => dial.callerId ?? null),
    nths: dials.map((dial) => dial.nth),
    nthsOfOrganization: dials.map((dial) => dial.nthOfOrganization),
    lookUpGraceMs: Math.max(0, ...campaigns.map(({ terms }) => terms.lookUpGraceMs)),
  };
}

export type GateValues = ReturnType<typeof valuesOf>;

/** Terms as rows of `termColumns`. */
function termsRow({ policy, consent, ...terms }: GateTerms) {
  return {
    organization_id: terms.organizationId,
    campaign_id: terms.campaignId,
    max_attempts: policy.maxAttemptsPerRecipient,
    call_back_attempts: policy.callBackAttempts,
    queue_again: policy.queueAgain,
    retry_on: policy.retryOn,
    purpose: terms.purpose,
    is_consent_required: consent.isRequired,
    consent_bases: consent.isRequired ? consent.bases : null,
    query_days: consent.queryDays,
    scrub_lists: terms.scrubLists,
    person_caps: terms.personCaps,
    pace_left: terms.paceLeft,
    agent_id: terms.agentId,
    prompt_id: terms.promptId,
    prompt_params: terms.promptParams,
    from_phone: terms.fromPhone,
    created_by: terms.createdBy,
  };
}

export const termColumns: RawBuilder<unknown> = sql`
  organization_id uuid, campaign_id uuid, max_attempts int, call_back_attempts int, queue_again boolean, retry_on text[], purpose text,
  is_consent_required boolean, consent_bases text[], query_days int, scrub_lists text[], person_caps jsonb, pace_left int,
  agent_id uuid, prompt_id bigint, prompt_params jsonb, from_phone text, created_by uuid`;
