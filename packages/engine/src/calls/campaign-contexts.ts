import {
  loadAgentContext,
  loadCampaignDefinition,
  type AgentContext,
  type CampaignDefinition,
  type Db,
} from '@outdial/db';
import { LRUCache } from 'lru-cache';

/** The data that all calls of a campaign share. */
export interface CampaignContext {
  definition: CampaignDefinition;
  agent: AgentContext;
  /** Approximates the engine's clock. Good enough to choose a window, because the gate reads the clock itself. */
  estimateNow(): Date;
}

export interface CampaignContexts {
  /** Null if the campaign or its agent is gone. May be `freshMs` old, because the gate checks the revision. */
  get(campaignId: string): Promise<CampaignContext | null>;
  /** Drops a context that a gate found outdated. */
  drop(campaignId: string): void;
}

const freshMs = 1_000;
const cachedAtMost = 1_000;

/** Caches campaigns and their agents for a second. */
export function createCampaignContexts(db: Db): CampaignContexts {
  const cached = new LRUCache<string, Promise<CampaignContext | null>>({ max: cachedAtMost, ttl: freshMs });

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
      const found = cached.get(campaignId);
      if (found) return found;
      const context = load(campaignId);
      cached.set(campaignId, context);
      context.catch(() => cached.delete(campaignId));
      return context;
    },
    drop(campaignId) {
      cached.delete(campaignId);
    },
  };
}
