import type { Attestation, CallerIdRules, CallerIdState } from '@outdial/core';
import type { Generated } from 'kysely';

/** Missing fields have their defaults. */
export type CallerIdRulesJson = Partial<CallerIdRules>;

export interface CallerIdTable {
  id: Generated<string>;
  organization_id: string;
  phone_number: string;
  country: string;
  prefixes: string[];
  attestation: Attestation | null;
  /** The agent for inbound calls from people whom no agent has called. */
  agent_id: string | null;
  calls_per_day: number;
  calls_per_hour: number | null;
  warm_up_days: number;
  warm_up_from: Date;
  state: Generated<CallerIdState>;
  state_reason: string | null;
  resting_until: Date | null;
  /** When a user last ended a rest. Calls before that do not let it rest again. */
  rest_ended_at: Date | null;
  created_at: Date;
  updated_at: Date;
}

export interface CallerIdUseTable {
  /** Also the id of the call, once it exists. */
  call_id: string;
  organization_id: string;
  caller_id: string;
  /** Empty, except in rows of the release before. */
  phone_number: Generated<string>;
  /** When the permit was taken, or the instant of the dial if that came much later. Counts are over this column. */
  used_at: Date;
  /** Null until the dial. */
  dialed_at: Date | null;
}
