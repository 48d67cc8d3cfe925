export { CampaignFieldsError, ForeignOrganizationError } from './campaign-errors.ts';
export {
  announceCampaign,
  createCampaign,
  createCampaignInTransaction,
  type CreateCampaignArgs,
  type CreatedCampaign,
} from './create-campaign.ts';
export { updateCampaign, type UpdateCampaignArgs } from './update-campaign.ts';
export { configChanges } from './config-changes.ts';
