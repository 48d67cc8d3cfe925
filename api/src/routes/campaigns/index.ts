import type { Route } from '../../http/define-route.ts';
import { createCampaign } from './create.ts';
import { listCampaigns } from './list.ts';
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
];
