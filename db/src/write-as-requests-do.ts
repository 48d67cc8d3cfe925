import { preparedText } from './postgres/prepared.ts';
import type { Db } from './transaction.ts';

/**
 * Does what requests do, in small: prepared statements in a transaction that writes, twice, since a pooler may lead each transaction to another session.
 * Rejects on a read-only server, for a user who may not write, and behind a pooler that loses prepared statements.
 */
export async function writeAsRequestsDo(db: Db): Promise<void> {
  for (const _ of [1, 2]) {
    await db.transaction().execute(async (tx) => {
      await tx.executeQuery(preparedText('select $1::integer as one', [1]));
      await tx.executeQuery(preparedText('update outage_watch set reached_at = reached_at where $1', [true]));
    });
  }
}
