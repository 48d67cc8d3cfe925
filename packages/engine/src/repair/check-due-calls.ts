import type { Swept } from '@outdial/core';
import { engineNow, retryVictims, takeDueCallChecks } from '@outdial/db';
import type { ControlDeps } from '../deps.ts';
import { enqueueChecks } from '../enqueue.ts';
import { republishMs } from '../timing.ts';

/** Workers look up their own calls when they are due. If a look-up is later than this, the worker has lost the call. */
const graceMs = 500;
const batch = 500;

/** Publishes checks of overdue calls, whose worker died, whose event was lost, or which last too long. */
export async function checkDueCalls(deps: ControlDeps): Promise<Swept> {
  const now = await engineNow(deps.db);
  const due = await retryVictims(() =>
    takeDueCallChecks(deps.db, {
      now: new Date(now.getTime() - graceMs),
      nextCheckAt: new Date(now.getTime() + republishMs),
      limit: batch,
    }),
  );
  await enqueueChecks(deps, due);
  return { done: due.length, isFull: due.length === batch };
}
