import { dialingWindow } from '@outdial/core';
import {
  passGate,
  retryVictims,
  type Db,
  type GateClaim,
  type GatePass,
  type GateTerms,
  type OpenWindow,
} from '@outdial/db';
import { lookUpGraceMs } from '../timing.ts';
import { agentTelephony } from './agent-telephony.ts';
import type { CampaignContext } from './campaign-contexts.ts';

/** Takes claims through the gate, those of one campaign together: what comes while one statement runs goes into the next. */
export interface GateBatcher {
  /** Null where the gate did not open for this claim. */
  pass(context: CampaignContext, claim: GateClaim): Promise<GatePass | null>;
}

const claimsAtOnce = 100;
/** Statements under way at the same time for one campaign: while one waits for its commit, the next is decided. */
const lanes = 2;
/** A further statement is worth its round trip from this many claims on. */
const worthALane = 50;

interface Waiting {
  claim: GateClaim;
  resolve(pass: GatePass | null): void;
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
      const terms = termsOf(context);
      const claims = batch.map((one) => one.claim);
      const passes = terms === null ? null : await retryVictims(() => passGate(db, terms, claims));
      for (const one of batch) one.resolve(passes?.get(one.claim.claimId) ?? null);
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

/** Null where no gate can open: the campaign does not run, or no window is open. */
function termsOf(context: CampaignContext): GateTerms | null {
  const { definition, agent } = context;
  if (definition.status !== 'running' || definition.startedBy === null || agent.prompt === null) return null;
  const windows = openWindows(definition, context.estimateNow());
  if (windows.length === 0) return null;
  return {
    organizationId: definition.organizationId,
    campaignId: definition.id,
    revision: definition.revision,
    windows,
    agentId: definition.agentId,
    promptId: agent.prompt.id,
    promptParams: definition.promptParams,
    fromPhone: agentTelephony(agent.config).fromPhone,
    createdBy: definition.startedBy,
    lookUpGraceMs,
  };
}

function openWindows(definition: CampaignContext['definition'], now: Date): OpenWindow[] {
  const windows: OpenWindow[] = [];
  for (const zone of definition.zones) {
    const window = dialingWindow(definition.schedule, zone, now);
    if (window.kind === 'open') windows.push({ zone, opensAt: window.opensAt, closesAt: window.closesAt });
  }
  return windows;
}
