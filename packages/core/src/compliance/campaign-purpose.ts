/** The reason for a campaign's calls. Some rules apply to one purpose only. */
export const campaignPurposes = ['marketing', 'service', 'debt_collection'] as const;
export type CampaignPurpose = (typeof campaignPurposes)[number];
