import { checkCallJob } from '@outdial/contracts';
import type { PlaceDeps } from '@outdial/engine';
import { onJob, type BoundHandler } from '@outdial/queues';

const concurrency = 20;

export function checkCallHandler(deps: PlaceDeps): BoundHandler {
  return onJob({
    job: checkCallJob,
    concurrency,
    handle: (payload) => deps.checker.check([payload.call_id]),
  });
}
