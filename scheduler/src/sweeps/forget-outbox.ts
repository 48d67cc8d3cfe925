import { deleteOldOutboxEvents, engineNow } from '@outdial/db';
import type { Sweep } from './sweep.ts';

const everyMs = 60_000;
const limit = 5_000;

/** Deletes outbox rows that are older than 30 days. */
export const forgetOutboxSweep: Sweep = {
  name: 'forget-outbox',
  async runOnce(deps) {
    const forgotten = await deleteOldOutboxEvents(deps.db, { now: await engineNow(deps.db), limit });
    deps.log.debug({ forgotten }, 'old outbox rows deleted');
    return { repaired: 0, waitMs: forgotten < limit ? everyMs : 0 };
  },
};
