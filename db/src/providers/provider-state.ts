import { type Selectable, sql } from 'kysely';
import type { ProviderTable, UnknownCode } from '../schema/engine.ts';
import type { Executor, Tx } from '../transaction.ts';

/** Stops all dials through a provider until an instant. Never shortens an existing pause. */
export async function closeProvider(
  db: Executor,
  args: { provider: string; until: Date; reason: string },
): Promise<void> {
  await sql`
    update providers set closed_until = ${args.until}, closed_reason = ${args.reason}, updated_at = engine_now()
    where name = ${args.provider} and (closed_until is null or closed_until < ${args.until})`.execute(db);
}

export async function ensureProvider(
  db: Executor,
  args: { name: string; adapter: string; callsPerSecond?: number | null },
): Promise<void> {
  await db
    .insertInto('providers')
    .values({
      name: args.name,
      adapter: args.adapter,
      settings: '{}',
      calls_per_second: args.callsPerSecond ?? null,
    })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
}

export type ProviderAdapterRow = Pick<Selectable<ProviderTable>, 'name' | 'adapter' | 'settings'>;

export async function listProviderAdapters(db: Executor): Promise<ProviderAdapterRow[]> {
  return db.selectFrom('providers').select(['name', 'adapter', 'settings']).orderBy('name').execute();
}

/** The provider's pause and the state of its circuit breaker, which can block a send after its gate. */
export interface ProviderCircuit {
  now: Date;
  closedUntil: Date | null;
  failuresInARow: number;
}

export interface LockedProviderCircuit extends ProviderCircuit {
  closedReason: string | null;
  unknownCode: UnknownCode | null;
}

export async function readProviderCircuit(
  db: Executor,
  provider: string,
): Promise<LockedProviderCircuit | null> {
  const { rows } = await sql<CircuitRow>`
    select engine_now() as now, ${circuitColumns} from providers where name = ${provider}`.execute(db);
  return rows[0] ? toCircuit(rows[0]) : null;
}

/** Whether the provider accepted a call of the campaign to another number within a day. */
export async function wereOthersAccepted(
  db: Executor,
  { campaignId, provider, toPhone }: { campaignId: string; provider: string; toPhone: string },
): Promise<boolean> {
  const { rows } = await sql`
    select from calls where campaign_id = ${campaignId} and created_at > (select engine_now()) - interval '1 day'
      and provider = ${provider} and accepted_at is not null and phone_number <> ${toPhone} limit 1`.execute(
    db,
  );
  return rows.length > 0;
}

export async function lockProviderCircuit(tx: Tx, provider: string): Promise<LockedProviderCircuit | null> {
  const { rows } = await sql<CircuitRow>`
    with held as materialized (select * from providers where name = ${provider} for no key update)
    select engine_now() as now, ${circuitColumns} from held`.execute(tx);
  return rows[0] ? toCircuit(rows[0]) : null;
}

/**
 * Saves the breaker's decision; the row is locked.
 * @param args.closed null ends a pause; without it, an existing pause stays
 * @param args.unknownCode without it, the stored one stays
 */
export async function saveProviderCircuit(
  tx: Tx,
  args: {
    provider: string;
    failuresInARow: number;
    closed?: { until: Date; reason: string } | null;
    unknownCode?: UnknownCode | null | undefined;
  },
): Promise<void> {
  await tx
    .updateTable('providers')
    .set({
      failures_in_a_row: args.failuresInARow,
      ...(args.closed !== undefined && {
        closed_until: args.closed?.until ?? null,
        closed_reason: args.closed?.reason ?? null,
      }),
      ...(args.unknownCode !== undefined && {
        unknown_code: args.unknownCode === null ? null : JSON.stringify(args.unknownCode),
      }),
      updated_at: sql`engine_now()`,
    })
    .where('name', '=', args.provider)
    .execute();
}

/** Wakes the campaigns that wait for a provider, and returns their ids to publish advances. */
export async function wakeCampaignsOfProvider(tx: Tx, provider: string, now: Date): Promise<string[]> {
  const { rows } = await sql<{ campaign_id: string }>`
    with waiting as materialized (
      select rt.campaign_id from campaign_runtime rt join campaigns c on c.id = rt.campaign_id
      where rt.provider = ${provider} and rt.waiting_for = 'provider' and c.status = 'running'
      order by rt.campaign_id for no key update of rt)
    update campaign_runtime rt set wake_at = least(rt.wake_at, ${now}) from waiting
    where rt.campaign_id = waiting.campaign_id returning rt.campaign_id`.execute(tx);
  return rows.map((row) => row.campaign_id);
}

const circuitColumns = sql`closed_until, closed_reason, failures_in_a_row, unknown_code`;

type CircuitRow = { now: Date } & Pick<
  Selectable<ProviderTable>,
  'closed_until' | 'closed_reason' | 'failures_in_a_row' | 'unknown_code'
>;

function toCircuit(row: CircuitRow): LockedProviderCircuit {
  return {
    now: row.now,
    closedUntil: row.closed_until,
    closedReason: row.closed_reason,
    failuresInARow: row.failures_in_a_row,
    unknownCode: row.unknown_code,
  };
}

/** Lines in use by provider, counted from the rows, because counters exist only for rows with a cap. */
export async function listLinesInUse(db: Executor): Promise<Array<{ provider: string; linesInUse: number }>> {
  const { rows } = await sql<{ provider: string; lines: number }>`
    select p.name as provider, coalesce(held.lines, 0)::int as lines from providers p
    left join (
      select provider, count(*) + count(*) filter (where transfer_line) as lines from calls
      where line_held group by provider) held
      on held.provider = p.name
    order by p.name`.execute(db);
  return rows.map((row) => ({ provider: row.provider, linesInUse: row.lines }));
}
