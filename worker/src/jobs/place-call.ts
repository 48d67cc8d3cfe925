import { placeCallJob } from '@outdial/contracts';
import { placeDirectCall, type SendDeps } from '@outdial/engine';
import { onJob, type BoundHandler } from '@outdial/queues';

/** Failed jobs are published again by a sweep, until the deadline of their call. */
export function placeCallHandler(deps: SendDeps, concurrency: number): BoundHandler {
  return onJob({
    job: placeCallJob,
    concurrency,
    async handle({ call_id }) {
      const placed = await placeDirectCall(deps, call_id);
      deps.log.debug({ call_id, ...placed }, 'call tried');
    },
  });
}
