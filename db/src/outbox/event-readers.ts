import { sql } from 'kysely';
import type { Executor } from '../transaction.ts';

/** An organization that has not read events for this long no longer counts as a reader. */
const readerDays = 30;
/** A reader's record is renewed at most once a day. */
const renewAfterDays = 1;

/**
 * Records that an organization reads events, so that new ones get their position at once. True if it was not a reader before, so that older events
 * may lack their position.
 */
export async function noteEventReader(
  db: Executor,
  { organizationId }: { organizationId: string },
): Promise<boolean> {
  const known = await sql<{ reads: boolean; renew: boolean }>`
    select reads_until > (select engine_now()) as reads,
      reads_until < (select engine_now()) + ${readerDays - renewAfterDays} * interval '1 day' as renew
    from event_readers where organization_id = ${organizationId}`.execute(db);
  const { reads = false, renew = true } = known.rows[0] ?? {};
  if (renew) {
    await sql`
      insert into event_readers (organization_id, reads_until)
      values (${organizationId}, engine_now() + ${readerDays} * interval '1 day')
      on conflict (organization_id) do update set reads_until = excluded.reads_until`.execute(db);
  }
  return !reads;
}
