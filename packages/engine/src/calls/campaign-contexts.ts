import {
  loadAgentContext,
  loadCampaignDefinition,
  type AgentContext,
  type CampaignDefinition,
  type Db,
} from '@outdial/db';
import { LRUCache } from 'lru-cache';

/** What every call of a campaign has in common. */
export interface CampaignContext {
  definition: CampaignDefinition;
  agent: AgentContext;
  /** About what the engine's clock shows. Good enough to choose a window by: the gate looks at the clock itself. */
  estimateNow(): Date;
}

export interface CampaignContexts {
  /** Null where the campaign or its agent is gone. At most `freshMs` old, which is safe: the gate checks the revision. */
  get(campaignId: string): Promise<CampaignContext | null>;
  /** Forgets what a gate has found to be old. */
  drop(campaignId: string): void;
}

const freshMs = 1_000;
const keptAtMost = 1_000;

/** Reads a campaign and its agent once for the many calls that are placed within a second. */
export function createCampaignContexts(db: Db): CampaignContexts {
  const kept = new LRUCache<string, Promise<CampaignContext | null>>({ max: keptAtMost, ttl: freshMs });

  async function load(campaignId: string): Promise<CampaignContext | null> {
    const definition = await loadCampaignDefinition(db, campaignId);
    if (!definition) return null;
    const { organizationId, agentId } = definition;
    const agent = await loadAgentContext(db, { organizationId, agentId });
    if (!agent) return null;
    const readAtMs = performance.now();
    return {
      definition,
      agent,
      estimateNow: () => new Date(agent.now.getTime() + performance.now() - readAtMs),
    };
  }

  return {
    get(campaignId) {
      const found = kept.get(campaignId);
      if (found) return found;
      const context = load(campaignId);
      kept.set(campaignId, context);
      context.catch(() => kept.delete(campaignId));
      return context;
    },
    drop(campaignId) {
      kept.delete(campaignId);
    },
  };
}
