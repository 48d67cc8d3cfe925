import type { Route } from '../../http/define-route.ts';
import { createCampaign } from './create.ts';
import { listCampaigns } from './list.ts';
import { listRecipients } from './list-recipients.ts';
import { readCampaignConfig } from './read-config.ts';
import { readCampaignProgress } from './read-progress.ts';
import { readCampaign } from './read.ts';
import { setCampaignConfig } from './set-config.ts';
import { setCampaignStatus } from './set-status.ts';
import { updateCampaign } from './update.ts';

export const campaignRoutes: readonly Route[] = [
  createCampaign,
  listCampaigns,
  readCampaign,
  updateCampaign,
  setCampaignStatus,
  setCampaignConfig,
  readCampaignConfig,
  readCampaignProgress,
  listRecipients,
];
