import { withdrawRecipientsJob } from '@outdial/contracts';
import { campaignJobFailed, withdrawRecipients, type ControlDeps } from '@outdial/engine';
import { onJob, type BoundHandler } from '@outdial/queues';

export function withdrawRecipientsHandler(deps: ControlDeps): BoundHandler {
  return onJob({
    job: withdrawRecipientsJob,
    concurrency: 1,
    async handle(payload, { signal }) {
      const { withdrawn } = await withdrawRecipients(deps, payload.campaign_id, signal);
      if (withdrawn > 0) {
        deps.log.info({ campaign_id: payload.campaign_id, withdrawn }, 'recipients withdrawn');
      }
    },
    failed: (payload, error) => campaignJobFailed(deps, payload.campaign_id, error),
  });
}
