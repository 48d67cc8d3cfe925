import { loadAgentContext, loadCampaignDefinition, type Db, type GateTerms } from '@outdial/db';
import type { EngineClock } from '../stack/engine-clock.ts';

/** What a worker would bring to the gate for claims of a campaign, in a window that is open for an hour. */
export async function gateTerms(
  stack: { db: Db; clock: EngineClock },
  organization: { id: string; agentId: string },
  campaignId: string,
): Promise<GateTerms> {
  const { id: organizationId, agentId } = organization;
  const definition = await loadCampaignDefinition(stack.db, campaignId);
  const agent = await loadAgentContext(stack.db, { organizationId, agentId });
  if (!definition?.startedBy || !agent?.prompt) throw new Error('no campaign, or no prompt');
  const now = await stack.clock.now();
  const inAnHour = new Date(now.getTime() + 3_600_000);
  return {
    organizationId,
    campaignId,
    revision: definition.revision,
    windows: definition.zones.map((zone) => ({
      zone,
      groundsId: null,
      opensAt: now,
      closesAt: inAnHour,
      hours: { openAt: now, closeAt: inAnHour },
    })),
    policy: definition.policy,
    purpose: definition.purpose,
    consent: definition.consent,
    isPaced: definition.callsPerSecond !== null,
    agentId,
    promptId: agent.prompt.id,
    promptParams: {},
    fromPhone: null,
    needsCallerId: agent.hasCallerIds,
    createdBy: definition.startedBy,
    lookUpGraceMs: 12_000,
  };
}
