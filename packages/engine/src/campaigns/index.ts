export {
  type CellFault,
  detailsOfRow,
  type ListColumns,
  listColumnsOf,
  recipientJson,
} from './list-columns.ts';
export { findCampaignWarnings } from './campaign-warnings.ts';
export { singleBraceWarnings } from '../calls/prompt-warnings.ts';
export { CampaignFieldsError, ForeignOrganizationError } from './campaign-errors.ts';
export {
  announceCampaign,
  createCampaign,
  createCampaignInTransaction,
  type CreateCampaignArgs,
  type CreatedCampaign,
} from './create-campaign.ts';
export {
  addRecipientsInTransaction,
  retryRecipientsInTransaction,
  withdrawRecipient,
} from './change-recipients.ts';
export { tryCampaign } from './try-campaign.ts';
export { holdCampaigns } from './hold-campaigns.ts';
export { deleteCampaign } from './delete-campaign.ts';
export { updateCampaign, type UpdateCampaignArgs } from './update-campaign.ts';
export { configChanges } from './config-changes.ts';
