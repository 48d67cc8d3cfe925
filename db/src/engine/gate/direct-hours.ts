import type { CallingPolicy, GateWindow } from '@outdial/core';
import { sql, type RawBuilder } from 'kysely';
import type { Executor } from '../../transaction.ts';

/** The calling hours of a direct call, read before the gate. */
export interface DirectHours {
  policy: CallingPolicy;
  hours: GateWindow['hours'];
  /** The row of `gate_grounds`, for the receipt. */
  groundsId: string | null;
}

/** What decides a direct call's hours. While the call waits, only the policy can change. */
export interface DirectCallee {
  organizationId: string;
  phoneNumber: string;
  policy: CallingPolicy;
  now: Date;
}

export async function findDirectCallee(db: Executor, callId: string): Promise<DirectCallee | null> {
  const { rows } = await sql<{
    organization_id: string;
    phone_number: string;
    calling_policy: CallingPolicy;
    now: Date;
  }>`
    select c.organization_id, c.phone_number, o.calling_policy, engine_now() as now
    from calls c join organizations o on o.id = c.organization_id where c.id = ${callId}`.execute(db);
  const [row] = rows;
  return row
    ? {
        organizationId: row.organization_id,
        phoneNumber: row.phone_number,
        policy: row.calling_policy,
        now: row.now,
      }
    : null;
}

/** The hours for a gate's row with `organizations org`; null if the policy has changed since they were read. */
export function callingHoursOf(direct: DirectHours | null): {
  openAt: RawBuilder<unknown>;
  closeAt: RawBuilder<unknown>;
} {
  const underPolicy = (at: Date | null) =>
    sql`case when org.calling_policy = ${direct?.policy ?? null} then ${at}::timestamptz end`;
  return {
    openAt: underPolicy(direct?.hours?.openAt ?? null),
    closeAt: underPolicy(direct?.hours?.closeAt ?? null),
  };
}
