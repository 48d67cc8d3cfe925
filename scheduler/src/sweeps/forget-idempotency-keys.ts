import { deleteOldIdempotencyKeys, engineNow } from '@outdial/db';
import type { Sweep } from './sweep.ts';

const everyMs = 60_000;
const limit = 5_000;

/** Answers to repeated requests are kept for 24 hours (design section 4, "Idempotency"). */
export const forgetIdempotencyKeysSweep: Sweep = {
  name: 'forget-idempotency-keys',
  async runOnce(deps) {
    const forgotten = await deleteOldIdempotencyKeys(deps.db, { now: await engineNow(deps.db), limit });
    deps.log.debug({ forgotten }, 'idempotency keys forgotten');
    return { repaired: 0, waitMs: forgotten < limit ? everyMs : 0 };
  },
};
