import type { CampaignDefinition, CampaignOfCall, OpenWindow } from '@outdial/db';

/** What a campaign decides about its calls that have a row. */
export function campaignTerms(
  definition: CampaignDefinition,
  windows: readonly OpenWindow[],
): CampaignOfCall {
  const { revision, policy, purpose, consent, scrubLists } = definition;
  return { revision, windows, policy, purpose, consent, scrubLists };
}
