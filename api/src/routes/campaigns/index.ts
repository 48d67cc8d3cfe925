import type { Route } from '../../http/define-route.ts';
import { addRecipients } from './add-recipients.ts';
import { createCampaign } from './create.ts';
import { forecastCampaign } from './forecast.ts';
import { deleteCampaign } from './delete.ts';
import { exportCampaign } from './export.ts';
import { importCampaign } from './import.ts';
import { listCampaigns } from './list.ts';
import { listCampaignCalls } from './list-calls.ts';
import { listRecipients } from './list-recipients.ts';
import { readCampaignConfig } from './read-config.ts';
import { readCampaignProgress } from './read-progress.ts';
import { readCampaign } from './read.ts';
import { retryRecipients } from './retry-recipients.ts';
import { setCampaignConfig } from './set-config.ts';
import { setCampaignStatus } from './set-status.ts';
import { streamCampaign } from './stream.ts';
import { updateCampaign } from './update.ts';
import { withdrawRecipient } from './withdraw-recipient.ts';

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
  addRecipients,
  withdrawRecipient,
  retryRecipients,
  forecastCampaign,
  listCampaignCalls,
  deleteCampaign,
  exportCampaign,
  importCampaign,
  streamCampaign,
];
