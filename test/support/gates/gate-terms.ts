import { loadAgentContext, loadCampaignDefinition, type Db, type GateTerms } from '@outdial/db';

/** A worker's gate parameters for dials of a campaign, with windows from an hour ago to an hour from now. */
export async function gateTerms(
  { db }: { db: Db },
  organization: { id: string; agentId: string },
  campaignId: string,
): Promise<GateTerms> {
  const { id: organizationId, agentId } = organization;
  const definition = await loadCampaignDefinition(db, campaignId);
  const agent = await loadAgentContext(db, { organizationId, agentId });
  if (!definition?.startedBy || !agent?.prompt) throw new Error('no campaign, or no prompt');
  const hourMs = 3_600_000;
  const opensAt = new Date(agent.now.getTime() - hourMs);
  const closesAt = new Date(agent.now.getTime() + hourMs);
  return {
    organizationId,
    campaignId,
    windows: definition.callingKeys.map((zone) => ({
      zone,
      groundsId: null,
      opensAt,
      closesAt,
      hours: { openAt: opensAt, closeAt: closesAt },
      caps: null,
      consent: null,
    })),
    policy: definition.policy,
    purpose: definition.purpose,
    consent: definition.consent,
    scrubLists: definition.scrubLists,
    personCaps: null,
    paceLeft: null,
    agentId,
    promptId: agent.prompt.id,
    promptParams: {},
    fromPhone: null,
    needsCallerId: agent.has_caller_ids,
    createdBy: definition.startedBy,
    lookUpGraceMs: 12_000,
  };
}
