import type { Swept } from '@outdial/core';
import { engineNow, retryVictims, takeDueCallChecks } from '@outdial/db';
import type { ControlDeps } from '../deps.ts';
import { enqueueChecks } from '../enqueue.ts';
import { republishMs } from '../timing.ts';

/** A worker looks its own calls up when they are due; one that is later than this has lost them. */
const graceMs = 500;
const batch = 500;

/** Has overdue calls looked up: their worker died, an event was lost, or they last too long. */
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
