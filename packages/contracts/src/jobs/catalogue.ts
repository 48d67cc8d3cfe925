import { advanceCampaignJob } from './advance-campaign.ts';
import { checkCallJob } from './check-call.ts';
import { deliverWebhooksJob } from './deliver-webhooks.ts';
import { ingestItemJob } from './ingest-item.ts';
import { placeCallJob } from './place-call.ts';
import { withdrawRecipientsJob } from './withdraw-recipients.ts';

export const jobCatalogue = [
  advanceCampaignJob,
  placeCallJob,
  checkCallJob,
  withdrawRecipientsJob,
  ingestItemJob,
  deliverWebhooksJob,
] as const;
