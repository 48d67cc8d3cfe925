import type { Db, Tx } from '../transaction.ts';

/** Everything that `read` sees is of one instant, however long it reads. Writes nothing, and keeps a connection until it ends. */
export async function inReadSnapshot<T>(db: Db, read: (tx: Tx) => Promise<T>): Promise<T> {
  return db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(read);
}
