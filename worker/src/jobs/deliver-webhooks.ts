import { deliverWebhooksJob } from '@outdial/contracts';
import { onJob, type BoundHandler, type Publisher } from '@outdial/queues';
import { deliverEndpoint, type DeliverDeps } from '@outdial/webhooks';

/** Concurrent endpoints. Many, because jobs mostly wait for receivers, and slow ones must not block the others. */
const concurrency = 200;

export function deliverWebhooksHandler(
  deps: DeliverDeps & { publisher: Publisher; log: { debug(fields: object, message: string): void } },
): BoundHandler {
  return onJob({
    job: deliverWebhooksJob,
    concurrency,
    async handle(payload, { signal }) {
      const { moreIsDue, ...counts } = await deliverEndpoint(deps, {
        endpointId: payload.endpoint_id,
        signal,
      });
      if (moreIsDue && !signal.aborted) await deps.publisher.publish(deliverWebhooksJob, payload);
      deps.log.debug({ endpoint_id: payload.endpoint_id, ...counts }, 'webhooks delivered');
    },
  });
}
