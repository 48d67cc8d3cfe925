export { advanceCampaignJob } from './advance-campaign.ts';
export { jobCatalogue, type JobName } from './catalogue.ts';
export { checkCallJob } from './check-call.ts';
export {
  defineJob,
  type JobDefinition,
  type JobInput,
  type JobPayload,
  type JobRetry,
} from './define-job.ts';
export { deliverWebhooksJob } from './deliver-webhooks.ts';
export { ingestItemJob } from './ingest-item.ts';
export { placeCallJob } from './place-call.ts';
export { withdrawRecipientsJob } from './withdraw-recipients.ts';
