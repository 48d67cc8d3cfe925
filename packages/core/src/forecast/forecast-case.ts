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

export interface ForecastCase {
  schedule: DialingSchedule;
  policy: RetryPolicy;
  isDebtCollection: boolean;
  caps: PersonCaps | null;
  lines: number;
  callsPerSecond: number | null;
  /** The limits of a day, which begins at midnight UTC. */
  daily: readonly DailyLimit[];
  /** The calls that the caller ids may make in any 24 hours; null if calls need none. */
  callerIds: CallerIdAllowance | null;
  nowMs: number;
  groups: readonly ForecastGroup[];
  /** Whether others are left whom it cannot call as things are, so that it does not end before its end date. */
  othersWait: boolean;
}

export interface DailyLimit {
  limit: Bottleneck;
  perDay: number;
  leftToday: number;
}

/** The calls that a pool of caller ids may make, regardless of countries. */
export interface CallerIdAllowance {
  /** Calls that may be made now. */
  left: number;
  /** When others are free: 24 hours after a call, or at the end of a rest. In their order. */
  freeing: ReadonlyArray<{ atMs: number; calls: number }>;
}

/** Why recipients will not be dialed. */
export const skipReasons = [
  'suppressed',
  'no_consent',
  'on_scrub_list',
  'number_unchecked',
  'no_calling_hours',
  'campaign_over',
] as const;

export type SkipReason = (typeof skipReasons)[number];

/** The limits that delay a campaign. */
export const bottlenecks = [
  'lines',
  'calls_per_second',
  'quota',
  'caller_id',
  'calling_window',
  'retry_delay',
  'person_cap',
] as const;

export type Bottleneck = (typeof bottlenecks)[number];

export interface SimulatedCampaign {
  /** Null if it does not end within the simulated days, or while people wait whom it can never call. */
  endMs: number | null;
  /** Null without a dial. */
  lastDialMs: number | null;
  dials: number;
  reached: number;
  /** Recipients given up before their first attempt: the campaign ended, or its window never meets their calling hours. */
  neverDialed: number;
  /** The number of group checks of the run, which determines its processor time. */
  looks: number;
  /** By date and zone: people dialed, and dials. */
  days: Map<string, { date: string; zone: string; people: number; dials: number }>;
  /** How long each limit delayed it, in milliseconds. */
  heldUpMs: Record<Bottleneck, number>;
}
