import { sql } from 'kysely';
import type { Executor } from '../transaction.ts';

/**
 * The calls that this provider may have: those it accepted, and those whose send is over, with any result.
 * One whose send is under way is left out: a look-up would race it.
 */
export async function findLiveCallsOfProvider(
  db: Executor,
  args: { provider: string; sendOverMs: number },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from calls
    where provider = ${args.provider} and phase in ('placing', 'ringing', 'answered')
      and (accepted_at is not null or gated_at < (select engine_now()) - ${args.sendOverMs} * interval '1 millisecond')
    order by gated_at`.execute(db);
  return rows.map((row) => row.id);
}
