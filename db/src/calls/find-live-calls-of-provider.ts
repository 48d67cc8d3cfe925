import { sql } from 'kysely';
import type { Executor } from '../transaction.ts';

/** The calls that the provider may have: those it accepted, and those whose send is over. A look-up of others would race with their send. */
export async function findLiveCallsOfProvider(
  db: Executor,
  args: { provider: string; sendOverMs: number },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from calls
    where provider = ${args.provider} and line_held
      and (accepted_at is not null or gated_at < (select engine_now()) - ${args.sendOverMs} * interval '1 millisecond')
    order by gated_at`.execute(db);
  return rows.map((row) => row.id);
}
