import type { CallingKey } from '../compliance/calling-key.ts';
import type { PersonCaps } from '../compliance/person-caps.ts';
import type { DialingSchedule } from '../dialing-schedule.ts';
import type { RetryPolicy } from '../retry-policy.ts';

/** Recipients that are alike for all rules. */
export interface ForecastGroup {
  key: CallingKey;
  count: number;
  dueMs: number;
  attempts: number;
  round: number;
  roundAttempts: number;
  firstAttemptMs: number | null;
}

/** The properties of a campaign that determine its course. */
export interface ForecastCase {
  schedule: DialingSchedule;
  policy: RetryPolicy;
  isDebtCollection: boolean;
  caps: PersonCaps | null;
  lines: number;
  callsPerSecond: number | null;
  /** For a day, which begins at midnight UTC. */
  quota: { perDay: number; leftToday: number } | null;
  /** The calls that the caller ids may make in any 24 hours; null if calls need none. */
  callerIds: CallerIdAllowance | null;
  nowMs: number;
  groups: readonly ForecastGroup[];
}

/** The calls that a pool of caller ids may make, regardless of countries. */
export interface CallerIdAllowance {
  /** Calls that may be made now. */
  left: number;
  /** When others are free: 24 hours after a call, or at the end of a rest. In their order. */
  freeing: ReadonlyArray<{ atMs: number; calls: number }>;
}

/** The limits that delay a campaign. */
export type Bottleneck =
  | 'lines'
  | 'calls_per_second'
  | 'quota'
  | 'caller_id'
  | 'calling_window'
  | 'retry_delay'
  | 'person_cap';

export interface SimulatedCampaign {
  /** Null if it does not end within the simulated days. */
  endMs: number | null;
  /** Null without a dial. */
  lastDialMs: number | null;
  dials: number;
  reached: number;
  /** Recipients given up before their first attempt because the campaign ended. */
  neverDialed: number;
  /** The number of group checks of the run, which determines its processor time. */
  looks: number;
  /** By date and zone: people dialed, and dials. */
  days: Map<string, { date: string; zone: string; people: number; dials: number }>;
  /** How long each limit delayed it, in milliseconds. */
  heldUpMs: Record<Bottleneck, number>;
}
