import { engineNow, retryVictims, takeDueCallChecks } from '@outdial/db';
import type { ControlDeps } from '../deps.ts';
import { enqueueChecks } from '../enqueue.ts';
import { republishMs } from '../timing.ts';

/** A worker looks its own calls up when they are due; whoever is later than this has lost them. */
const graceMs = 500;

/** Has calls looked up that should have been heard of by now: their worker died, an event was lost, or they last too long. */
export async function checkDueCalls(deps: ControlDeps): Promise<{ checked: number }> {
  const now = await engineNow(deps.db);
  const due = await retryVictims(() =>
    takeDueCallChecks(deps.db, {
      now: new Date(now.getTime() - graceMs),
      nextCheckAt: new Date(now.getTime() + republishMs),
      limit: 500,
    }),
  );
  await enqueueChecks(deps, due);
  return { checked: due.length };
}
