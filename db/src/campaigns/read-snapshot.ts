import type { Db, Tx } from '../transaction.ts';

/** Runs `read` in a read-only snapshot, which occupies a connection. */
export async function inReadSnapshot<T>(db: Db, read: (tx: Tx) => Promise<T>): Promise<T> {
  return db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(read);
}
