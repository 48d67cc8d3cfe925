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
export interface Gatekeeper {
  /** Null where the gate did not open for this claim. */
  pass(context: CampaignContext, claim: GateClaim): Promise<GatePass | null>;
}

const claimsAtOnce = 100;

interface Waiting {
  claim: GateClaim;
  resolve(pass: GatePass | null): void;
  reject(error: unknown): void;
}

export function createGatekeeper(db: Db): Gatekeeper {
  const queues = new Map<CampaignContext, Waiting[]>();

  async function run(context: CampaignContext, queue: Waiting[]): Promise<void> {
    while (queue.length > 0) {
      const batch = queue.splice(0, claimsAtOnce);
      try {
        const terms = termsOf(context);
        const claims = batch.map((one) => one.claim);
        const passes = terms === null ? null : await retryVictims(() => passGate(db, terms, claims));
        for (const one of batch) one.resolve(passes?.get(one.claim.claimId) ?? null);
      } catch (error) {
        for (const one of batch) one.reject(error);
      }
    }
    queues.delete(context);
  }

  return {
    pass(context, claim) {
      return new Promise((resolve, reject) => {
        const waiting = { claim, resolve, reject };
        const queue = queues.get(context);
        if (queue) {
          queue.push(waiting);
          return;
        }
        const opened = [waiting];
        queues.set(context, opened);
        // Claims of one advance arrive in one turn of the event loop.
        setImmediate(() => void run(context, opened));
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
