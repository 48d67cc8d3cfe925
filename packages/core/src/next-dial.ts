import { callingHours } from './compliance/calling-hours.ts';
import type { CallingKey } from './compliance/calling-key.ts';
import { dialingWindow, type DialingSchedule, type WindowDecision } from './dialing-window.ts';

/** Why the gate deferred a recipient until a known instant. */
export type Deferral = 'person_cap' | 'caller_id' | 'number_query';

/** The earliest instant at which a recipient of one calling key is due. */
export interface ZoneDue {
  zone: CallingKey;
  dueAt: Date;
  /** Why the recipient is not due earlier; null or absent if the reason is the delay before a retry. */
  deferredFor?: Deferral | null;
}

export type NextDial =
  /** `waitingFor` says why the campaign cannot dial now: a window that is closed, or will be when a recipient is due; the calling hours of a jurisdiction; or only the delay before a retry. */
  | { kind: 'at'; at: Date; waitingFor: 'window' | 'calling_hours' | 'retry' | Deferral | null }
  /** `calling_hours` if no rule ever allows a call to anybody who is left, or without an end; otherwise no window opens before the end. */
  | { kind: 'never'; waitingFor: 'window' | 'calling_hours' };

/** When a campaign can next dial, over all zones with due recipients (docs/architecture.md). */
export function nextDial(
  schedule: DialingSchedule,
  earliestDueByZone: readonly ZoneDue[],
  now: Date,
): NextDial {
  let next: Extract<NextDial, { kind: 'at' }> | null = null;
  for (const { zone, dueAt, deferredFor } of earliestDueByZone) {
    const from = dueAt > now ? dueAt : now;
    const window = dialingWindow(schedule, zone, from);
    if (window.kind === 'over') continue;
    const at = window.kind === 'open' ? from : window.opensAt;
    if (next !== null && next.at <= at) continue;
    next = {
      kind: 'at',
      at,
      waitingFor: at <= now ? null : whyNotNow(window, dialingWindow(schedule, zone, now), deferredFor),
    };
  }
  if (next !== null) return next;
  const isForbidden = earliestDueByZone.every(({ zone }) => isNeverAllowed(zone, now));
  return { kind: 'never', waitingFor: schedule.endAt === null || isForbidden ? 'calling_hours' : 'window' };
}

function isNeverAllowed(zone: CallingKey, now: Date): boolean {
  const hours = callingHours(zone, now);
  return hours.kind === 'closed' && hours.opensAt === null;
}

function whyNotNow(
  whenDue: WindowDecision,
  now: WindowDecision,
  deferredFor: Deferral | null | undefined,
): 'window' | 'calling_hours' | 'retry' | Deferral {
  const closed = [whenDue, now].filter((one) => one.kind !== 'open');
  if (closed.length === 0) return deferredFor ?? 'retry';
  return closed.every((one) => one.kind === 'closed' && one.reason === 'calling_hours')
    ? 'calling_hours'
    : 'window';
}
