import { type Db, inTransaction, noteChange } from '@outdial/db';

/** As many people as the largest page of a list. An answer with more is a bulk read, which the audit log records. */
export const peopleOfPage = 1_000;

/**
 * Records that an answer hands out more than a page of people. Call it before anything is sent, in an operation with `isAudited`.
 * @param after what was handed out
 */
export async function noteBulkRead(
  db: Db,
  target: { type: string; id: string },
  after: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  await inTransaction(db, async () => noteChange({ ...target, after }));
}
