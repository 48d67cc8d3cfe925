import type { Swept } from '@outdial/core';
import {
  type Db,
  deleteOldConsents,
  deleteOldNumberChanges,
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
  forgetScrubbedNumbers as deleteScrubbedNumbers,
} from '@outdial/db';

/** One statement handles at most this many rows, so that it locks them only briefly. */
const rowsAtOnce = 5_000;

function sweepOf(run: (db: Db, limit: number) => Promise<number>) {
  return async ({ db }: { db: Db }): Promise<Swept> => {
    const done = await run(db, rowsAtOnce);
    return { done, isFull: done === rowsAtOnce };
  };
}

/** Applies pending changes to the counts of campaigns. */
export const foldCampaignCounts = sweepOf(foldCounts);

/** Deletes expired console sessions and sign-in links. */
export const forgetExpiredSessions = sweepOf((db, limit) => forgetSessions(db, { limit }));

/** Removes expired numbers from the suppression list. */
export const forgetExpiredSuppressions = sweepOf(deleteExpiredSuppressions);

/** Deletes the failure records of recipients that have not failed for a week. */
export const forgetFailures = sweepOf((db, limit) => forgetOldFailures(db, { limit }));

/** Deletes people whom an organization has not called for longer than any cap counts. */
export const forgetCalledPeople = sweepOf((db, limit) => deleteCalledPeople(db, { limit }));

/** Deletes the records of calls that voices were notified of. */
export const forgetCallVoices = sweepOf(deleteCallVoices);

/** Deletes permits of caller ids that no longer count. */
export const forgetCallerIdUses = sweepOf(deleteCallerIdUses);

/** Deletes ended consents that were not used for five years. */
export const forgetConsents = sweepOf((db, limit) => deleteOldConsents(db, { limit }));

/** Deletes old changes of numbers that end no consent. */
export const forgetNumberChanges = sweepOf(deleteOldNumberChanges);

/** Deletes numbers of scrub lists that were replaced or removed. */
export const forgetScrubbedNumbers = sweepOf(deleteScrubbedNumbers);

/** Deletes stored answers to repeated requests after 24 hours. */
export const forgetIdempotencyKeys = sweepOf(async (db, limit) =>
  deleteOldIdempotencyKeys(db, { now: await engineNow(db), limit }),
);

/** Deletes outbox rows that are older than 30 days. */
export const forgetOutbox = sweepOf(async (db, limit) =>
  deleteOldOutboxEvents(db, { now: await engineNow(db), limit }),
);
