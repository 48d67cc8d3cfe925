import { withdrawRecipientsJob } from '@outdial/contracts';
import { Turns } from '@outdial/core';
import { campaignJobFailed, enqueueWithdrawals, withdrawRecipients, type ControlDeps } from '@outdial/engine';
import { onJob, type BoundHandler } from '@outdial/queues';

/** Campaigns that wait for their turn in this worker. */
const concurrency = 200;
const longestRunMs = 5_000;
/** Chunks at a time. An organization has one of them, so that another one seldom waits even for the rest of a chunk. */
const chunksAtOnce = { atOnce: 3, perOrganization: 1 };

export function withdrawRecipientsHandler(deps: ControlDeps): BoundHandler {
  const turns = new Turns(chunksAtOnce);
  return onJob({
    job: withdrawRecipientsJob,
    concurrency,
    async handle(payload, { signal }) {
      const { withdrawn, isDone } = await withdrawRecipients(deps, payload.campaign_id, {
        signal: AbortSignal.any([signal, AbortSignal.timeout(longestRunMs)]),
        inTurn: (work) => turns.run(payload.organization_id ?? '', work, { signal }),
      });
      // Behind the campaigns that wait in the queue.
      if (!isDone) await enqueueWithdrawals(deps, [payload.campaign_id]);
      if (withdrawn > 0) {
        deps.log.info({ campaign_id: payload.campaign_id, withdrawn }, 'recipients withdrawn');
      }
    },
    failed: (payload, error) => campaignJobFailed(deps, payload.campaign_id, error),
  });
}
