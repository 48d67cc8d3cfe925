import { dialingWindow } from '@outdial/core';
import {
  passGate,
  type CampaignDefinition,
  type Db,
  type GateAnswer,
  type GateClaim,
  type GateReason,
  type GateTerms,
  type OpenWindow,
} from '@outdial/db';
import { lookUpGraceMs } from '../timing.ts';
import { agentTelephony } from './agent-telephony.ts';
import type { CampaignContext } from './campaign-contexts.ts';

/** Takes claims through the gate, those of one campaign together: what comes while one statement runs goes into the next. */
export interface GateBatcher {
  /** One pass a claim: where a claim comes twice, because its job was delivered twice, the second is stale. */
  pass(context: CampaignContext, claim: GateClaim): Promise<GateAnswer>;
}

const claimsAtOnce = 100;
/** Statements under way at the same time for one campaign: while one waits for its commit, the next is decided. */
const lanes = 2;
/** A further statement is worth its round trip from this many claims on. */
const worthALane = 50;

interface Waiting {
  claim: GateClaim;
  resolve(answer: GateAnswer): void;
  reject(error: unknown): void;
}

interface Queue {
  waiting: Waiting[];
  /** Lanes that take from it. */
  running: number;
}

export function createGateBatcher(db: Db): GateBatcher {
  const queues = new Map<CampaignContext, Queue>();

  async function decide(context: CampaignContext, batch: readonly Waiting[]): Promise<void> {
    try {
      const first = new Map<string, Waiting>();
      for (const one of batch) if (!first.has(one.claim.claimId)) first.set(one.claim.claimId, one);
      const terms = termsOf(context);
      const claims = [...first.values()].map((one) => one.claim);
      const answers = terms === null ? null : await passGate(db, terms, claims);
      for (const one of batch) {
        const isFirst = first.get(one.claim.claimId) === one;
        const answer = answers === null ? refused(context, 'changed') : answers.get(one.claim.claimId);
        one.resolve(isFirst && answer ? answer : refused(context, 'stale'));
      }
    } catch (error) {
      for (const one of batch) one.reject(error);
    }
  }

  async function run(context: CampaignContext, queue: Queue): Promise<void> {
    while (queue.waiting.length > 0) await decide(context, queue.waiting.splice(0, claimsAtOnce));
    queue.running -= 1;
    if (queue.running === 0) queues.delete(context);
  }

  return {
    pass(context, claim) {
      return new Promise((resolve, reject) => {
        const queue = queues.get(context) ?? { waiting: [], running: 0 };
        queues.set(context, queue);
        queue.waiting.push({ claim, resolve, reject });
        const isWorthIt = queue.running === 0 || queue.waiting.length >= worthALane;
        if (!isWorthIt || queue.running === lanes) return;
        queue.running += 1;
        // Claims of one advance arrive in one turn of the event loop.
        setImmediate(() => void run(context, queue));
      });
    },
  };
}

function refused(context: CampaignContext, reason: GateReason): GateAnswer {
  return { kind: 'refused', reason, now: context.estimateNow(), timezone: null, slotAt: null };
}

/** Null where the campaign was read before it ran, or its agent before it had a prompt. */
function termsOf(context: CampaignContext): GateTerms | null {
  const { definition, agent } = context;
  if (definition.startedBy === null || agent.prompt === null) return null;
  return {
    organizationId: definition.organizationId,
    campaignId: definition.id,
    revision: definition.revision,
    windows: openWindows(definition, context.estimateNow()),
    policy: definition.policy,
    isPaced: definition.callsPerSecond !== null,
    agentId: definition.agentId,
    promptId: agent.prompt.id,
    promptParams: definition.promptParams,
    fromPhone: agentTelephony(agent.config).fromPhone,
    createdBy: definition.startedBy,
    lookUpGraceMs,
  };
}

/** The windows that are open at an instant, of each zone of a campaign's recipients. */
export function openWindows(definition: CampaignDefinition, now: Date): OpenWindow[] {
  const windows: OpenWindow[] = [];
  for (const zone of definition.zones) {
    const window = dialingWindow(definition.schedule, zone, now);
    if (window.kind === 'open') windows.push({ zone, opensAt: window.opensAt, closesAt: window.closesAt });
  }
  return windows;
}
