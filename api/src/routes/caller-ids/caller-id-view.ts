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
  return {
    id: row.id,
    phone_number: row.phone_number,
    country: row.country,
    prefixes: row.prefixes,
    attestation: row.attestation,
    agent_id: row.agent_id,
    calls_per_day: row.calls_per_day,
    calls_per_hour: row.calls_per_hour,
    warm_up_days: row.warm_up_days,
    state: row.state,
    state_reason: row.state_reason,
    calls_last_hour: row.calls_last_hour,
    calls_last_day: row.calls_last_day,
    resting_until: row.resting_until?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
