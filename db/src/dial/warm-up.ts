import { sql } from 'kysely';
import { deferred } from '../postgres/deferred.ts';
import { outboxStatement } from '../outbox/write-outbox.ts';
import { type Db, inTransaction } from '../transaction.ts';
import { findEarliestDueByZone, openAdvances, savePlans } from './advance.ts';
import { chooseDue } from './choose-due.ts';
import { passGate } from '../gate/campaign-gate.ts';
import { emptyTerms, nilUuid } from '../gate/gate-terms.ts';
import { lockAttempts } from '../progress/attempt-rows.ts';
import { lockLineCaps } from '../lines/line-caps.ts';
import { releaseLinesSql } from '../lines/lines.ts';
import { findLiveCalls } from '../send/live-calls.ts';
import { progressStatement } from '../progress/write-progress.ts';

/** After this many runs, Postgres caches a generic plan. */
const runs = 6;

/**
 * Opens connections and runs the statements of a call on each without data. The first statements of a connection take tens of milliseconds,
 * because its server process has to read the catalog and plan them, so a campaign's first calls would be late.
 */
export async function warmUp(db: Db, { connections }: { connections: number }): Promise<void> {
  const warm = () =>
    inTransaction(db, async (tx) => {
      // For a table that is empty now, Postgres would cache a plan that scans it, and use it for a minute while the table fills.
      await sql`set local enable_seqscan = off`.execute(tx);
      const now = new Date();
      for (let run = 0; run < runs; run++) {
        for (const waits of [true, false]) await openAdvances(tx, [nilUuid], { waits });
        for (const zones of [['UTC'], ['UTC', 'UTC']]) {
          const campaigns = [{ campaignId: nilUuid, zones, limit: 1 }];
          await chooseDue(tx, { organizationId: nilUuid, campaigns, now, withLastCallerId: false });
        }
        await passGate(tx, []);
        await passGate(tx, [{ terms: { ...emptyTerms, needsCallerId: true }, dials: [] }]);
        await findEarliestDueByZone(tx, []);
        await savePlans(tx, [], now);
        await lockLineCaps(tx);
        await lockAttempts(tx, []);
        await deferred(progressStatement({ calls: [], recipients: [] }), tx);
        await deferred(releaseLinesSql([], now, { areCapped: false }), tx);
        await deferred(outboxStatement([], now), tx);
        await findLiveCalls(tx, []);
      }
    });
  // Concurrently, so that each gets its own connection.
  await Promise.all(Array.from({ length: connections }, warm));
}
