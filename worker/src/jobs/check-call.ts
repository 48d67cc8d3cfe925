import { checkCallJob } from '@outdial/contracts';
import type { SendDeps } from '@outdial/engine';
import { onJob, type BoundHandler } from '@outdial/queues';

const concurrency = 20;

export function checkCallHandler(deps: SendDeps): BoundHandler {
  return onJob({
    job: checkCallJob,
    concurrency,
    handle: (payload) => deps.checker.check([payload.call_id]),
  });
}
