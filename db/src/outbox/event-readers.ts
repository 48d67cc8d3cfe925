import { sql } from 'kysely';
import type { Executor } from '../transaction.ts';

/** An organization that does not ask for events for so long counts as one that does not read them. */
const readerDays = 30;
/** A reader is written down again when a day of that has gone by, and not each time. */
const renewAfterDays = 1;

/**
 * Notes that an organization reads events, which get their place at once from here on. True where it was no reader: then older events
 * may still wait for theirs.
 */
export async function noteEventReader(
  db: Executor,
  { organizationId }: { organizationId: string },
): Promise<boolean> {
  const known = await sql<{ reads: boolean; renew: boolean }>`
    select reads_until > engine_now() as reads,
      reads_until < engine_now() + ${readerDays - renewAfterDays} * interval '1 day' as renew
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
