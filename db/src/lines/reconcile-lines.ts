import { sql, type RawBuilder } from 'kysely';
import type { Tx } from '../transaction.ts';

/** The lines in use according to the rows: a call has a line from its gate to its end. */
const level: Record<
  'campaigns' | 'organizations' | 'providers',
  { select: RawBuilder<unknown>; update: RawBuilder<unknown> }
> = {
  campaigns: counter({
    table: sql`campaign_runtime`,
    key: sql`campaign_id`,
    cap: sql`(select f.max_concurrent_calls from campaign_configs f where f.campaign_id = x.campaign_id)`,
    held: sql`(select count(*)::int from campaign_recipients r
               where r.campaign_id = x.campaign_id and r.state = 'dialing')`,
    isCounted: sql`true`,
  }),
  organizations: counter({
    table: sql`organizations`,
    key: sql`id`,
    cap: sql`x.max_lines`,
    isCounted: sql`x.max_lines is not null`,
    held: sql`(select (count(*) + count(*) filter (where c.transfer_line))::int from calls c
               where c.organization_id = x.id and c.line_held)`,
  }),
  providers: counter({
    table: sql`providers`,
    key: sql`name`,
    cap: sql`x.max_lines`,
    isCounted: sql`x.max_lines is not null`,
    held: sql`(select (count(*) + count(*) filter (where c.transfer_line))::int from calls c
               where c.provider = x.name and c.line_held)`,
  }),
};

function counter(parts: {
  table: RawBuilder<unknown>;
  key: RawBuilder<unknown>;
  cap: RawBuilder<unknown>;
  held: RawBuilder<unknown>;
  isCounted: RawBuilder<unknown>;
}): { select: RawBuilder<unknown>; update: RawBuilder<unknown> } {
  return {
    select: sql`select from ${parts.table} x where ${parts.isCounted} and x.lines_in_use <> ${parts.held}
      order by x.${parts.key} limit 100 for no key update of x skip locked`,
    // Never raises a counter above its cap. If the cap was lowered below the lines in use, the counter stays above it.
    update: sql`
      with counted as materialized (
        select x.${parts.key} as key, ${parts.held} as held, ${parts.cap} as cap from ${parts.table} x
        where ${parts.isCounted} and x.lines_in_use <> ${parts.held} order by 1 for no key update of x skip locked)
      update ${parts.table} x set lines_in_use = least(counted.held, greatest(counted.cap, x.lines_in_use))
      from counted where x.${parts.key} = counted.key
        and x.lines_in_use <> least(counted.held, greatest(counted.cap, x.lines_in_use))
      returning 1`,
  };
}

/**
 * Corrects line counters that disagree with the rows, and returns how many. There should be none, because counters change in the transactions
 * of their rows. The first statement locks the counters. Transactions update counters after their rows, so the second statement counts
 * correctly.
 */
export async function reconcileLines(tx: Tx): Promise<number> {
  let repaired = 0;
  for (const { select, update } of Object.values(level)) {
    const locked = await sql`${select}`.execute(tx);
    if (locked.rows.length === 0) continue;
    const { rows } = await sql`${update}`.execute(tx);
    repaired += rows.length;
  }
  return repaired;
}
