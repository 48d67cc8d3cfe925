import type { CallerId } from '@outdial/contracts';
import type { CallerIdRow } from '@outdial/db';
import { z } from 'zod';

const counts = z.looseObject({ calls_last_hour: z.unknown(), calls_last_day: z.unknown() });

/** Without the counts, which every call changes. */
export function callerIdVersion(data: unknown): unknown {
  const { calls_last_hour: _hour, calls_last_day: _day, ...rest } = counts.parse(data);
  return rest;
}

export function callerIdView(row: CallerIdRow): CallerId {
  const { row_instant: _, ...view } = row;
  return {
    ...view,
    resting_until: row.resting_until?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
