import type { Swept } from '@outdial/core';
import {
  type Db,
  deleteOldConsents,
  deleteExpiredSuppressions,
  deleteOldIdempotencyKeys,
  deleteOldOutboxEvents,
  engineNow,
  foldCampaignCounts as foldCounts,
  forgetExpiredSessions as forgetSessions,
  forgetFailures as forgetOldFailures,
  forgetCalledPeople as deleteCalledPeople,
  forgetCallerIdUses as deleteCallerIdUses,
  forgetCallVoices as deleteCallVoices,
} from '@outdial/db';

/** One statement does no more than this, so that it holds its rows for a moment only. */
const rowsAtOnce = 5_000;

function sweepOf(run: (db: Db, limit: number) => Promise<number>) {
  return async ({ db }: { db: Db }): Promise<Swept> => {
    const done = await run(db, rowsAtOnce);
    return { done, isFull: done === rowsAtOnce };
  };
}

/** Adds what has changed to the counts of campaigns. */
export const foldCampaignCounts = sweepOf(foldCounts);

/** Deletes sessions of the console and sign-in links that are good no longer. */
export const forgetExpiredSessions = sweepOf((db, limit) => forgetSessions(db, { limit }));

/** Takes numbers off the suppression list whose suppression has expired. */
export const forgetExpiredSuppressions = sweepOf(deleteExpiredSuppressions);

/** Deletes what is known of recipients that have not failed for a week. */
export const forgetFailures = sweepOf((db, limit) => forgetOldFailures(db, { limit }));

/** Forgets people whom an organization has not called for longer than any cap counts. */
export const forgetCalledPeople = sweepOf((db, limit) => deleteCalledPeople(db, { limit }));

/** Forgets which calls voices were told of. */
export const forgetCallVoices = sweepOf(deleteCallVoices);

/** Forgets permits of caller ids that count no longer. */
export const forgetCallerIdUses = sweepOf(deleteCallerIdUses);

/** Deletes consents that are over and were not used for five years. */
export const forgetConsents = sweepOf((db, limit) => deleteOldConsents(db, { limit }));

/** Deletes answers to repeated requests that are older than 24 hours. */
export const forgetIdempotencyKeys = sweepOf(async (db, limit) =>
  deleteOldIdempotencyKeys(db, { now: await engineNow(db), limit }),
);

/** Deletes outbox rows that are older than 30 days. */
export const forgetOutbox = sweepOf(async (db, limit) =>
  deleteOldOutboxEvents(db, { now: await engineNow(db), limit }),
);
