/** What a campaign calls for. Rules that hold for one purpose alone ask for it. */
export const campaignPurposes = ['marketing', 'service', 'debt_collection'] as const;
export type CampaignPurpose = (typeof campaignPurposes)[number];
