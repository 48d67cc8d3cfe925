import { Batcher, gateWindow } from '@outdial/core';
import {
  findNumbersOfRecipients,
  isRefusedText,
  passGate,
  type CampaignDefinition,
  type Claim,
  type Db,
  type GateAnswer,
  type GateClaim,
  type GateReason,
  type GateTerms,
  type OpenWindow,
} from '@outdial/db';
import { isAllowedDestination } from '../limits/destinations.ts';
import { lookUpGraceMs } from '../timing.ts';
import { agentTelephony } from './agent-telephony.ts';
import type { CampaignContext } from './campaign-contexts.ts';
import { withGrounds } from './gate-grounds.ts';

/** Runs gates in batches per campaign. Claims that arrive while a statement runs join the next one. */
export interface GateBatcher {
  /** If a job is delivered twice, its second claim is refused as `stale`. */
  pass(context: CampaignContext, claim: Claim): Promise<GateAnswer>;
}

const claimsAtOnce = 100;
/** Concurrent statements per campaign: while one waits for its commit, the next one decides. */
const lanes = 2;
/** The fewest claims for which a concurrent statement is worth its round trip. */
const worthALane = 50;

export function createGateBatcher(db: Db): GateBatcher {
  const batchers = new WeakMap<CampaignContext, Batcher<Claim, GateAnswer>>();

  async function decide(context: CampaignContext, claims: readonly Claim[]): Promise<GateAnswer[]> {
    const distinct = new Map(claims.map((claim) => [claim.claimId, claim]));
    const terms = await termsOf(db, context);
    if (terms === null) return claims.map(() => refused(context, 'changed'));
    const answers = await passGate(db, terms, await judged(db, context, [...distinct.values()]));
    return claims.map((claim) => {
      const isFirst = distinct.delete(claim.claimId);
      return (isFirst ? answers.get(claim.claimId) : undefined) ?? refused(context, 'stale');
    });
  }

  return {
    pass(context, claim) {
      let batcher = batchers.get(context);
      if (batcher === undefined) {
        const run = (claims: readonly Claim[]) => decide(context, claims);
        batcher = new Batcher({
          run,
          atMost: claimsAtOnce,
          lanes,
          worthALane,
          isOneItemsFault: isRefusedText,
        });
        batchers.set(context, batcher);
      }
      return batcher.add(claim);
    },
  };
}

/** Judges the numbers of claims by the limits in the context, which are at least as new as its revision. */
async function judged(
  db: Db,
  { definition, agent }: CampaignContext,
  claims: readonly Claim[],
): Promise<GateClaim[]> {
  const { organizationId, id: campaignId } = definition;
  const recipientIds = claims.map((claim) => claim.recipientId);
  const numbers = await findNumbersOfRecipients(db, { organizationId, campaignId }, recipientIds);
  return claims.map((claim) => {
    const number = numbers.get(claim.recipientId);
    return {
      ...claim,
      isAllowedDestination: number !== undefined && isAllowedDestination(number, agent.limits),
    };
  });
}

function refused(context: CampaignContext, reason: GateReason): GateAnswer {
  return {
    kind: 'refused',
    reason,
    now: context.estimateNow(),
    timezone: null,
    slotAt: null,
    personFreeAt: null,
  };
}

/** Null if the campaign has never run, or its agent has no prompt. */
async function termsOf(db: Db, context: CampaignContext): Promise<GateTerms | null> {
  const { definition, agent } = context;
  if (definition.startedBy === null || agent.prompt === null) return null;
  return {
    organizationId: definition.organizationId,
    campaignId: definition.id,
    revision: definition.revision,
    windows: await openWindows(db, definition, context.estimateNow()),
    policy: definition.policy,
    purpose: definition.purpose,
    consent: definition.consent,
    scrubLists: definition.scrubLists,
    personCaps: definition.personCaps,
    isPaced: definition.callsPerSecond !== null,
    agentId: definition.agentId,
    promptId: agent.prompt.id,
    promptParams: definition.promptParams,
    fromPhone: agentTelephony(agent.config).fromPhone,
    needsCallerId: agent.hasCallerIds,
    createdBy: definition.startedBy,
    lookUpGraceMs,
  };
}

/** The windows that are open at an instant, by calling key of the campaign, with calling hours and grounds. */
export async function openWindows(db: Db, definition: CampaignDefinition, now: Date): Promise<OpenWindow[]> {
  return withGrounds(db, definition, windowsAt(definition, now));
}

/** The same windows, for a decision without a receipt. */
export function windowsAt(definition: CampaignDefinition, now: Date): OpenWindow[] {
  return definition.zones.flatMap((zone) => {
    const window = gateWindow(definition, zone, now);
    return window === null ? [] : [{ zone, ...window, groundsId: null }];
  });
}
