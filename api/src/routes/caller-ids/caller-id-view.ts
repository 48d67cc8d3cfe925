import type { CallerId } from '@outdial/contracts';
import type { CallerIdRow } from '@outdial/db';

export function callerIdView({ row_instant: _, ...row }: CallerIdRow): CallerId {
  return {
    ...row,
    resting_until: row.resting_until?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
