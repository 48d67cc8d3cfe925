import type { LockedCall } from '@outdial/db';
import type { DialingSettings } from '../deps.ts';
import type { CallReport } from './fold-facts.ts';

export type CallTimes = Pick<DialingSettings, 'ringTimeoutSeconds' | 'maxCallSeconds'>;

/** How long after the longest ringing a call without news is looked up. */
const overdueMs = 15_000;

/** When to look up the call if no event arrives: when the provider expects news, else when the call is overdue. */
export function nextCheck(call: LockedCall, report: CallReport, times: CallTimes, now: Date): Date {
  const longestEnd = longestEndOf(call, times);
  const wanted =
    report.nextChangeAt ??
    (call.phase === 'answered' || call.acceptedAt === null
      ? (call.checkAt ?? longestEnd)
      : new Date((call.gatedAt ?? now).getTime() + times.ringTimeoutSeconds * 1000 + overdueMs));
  if (call.phase === 'answered' && !report.nextChangeAt) return longestEnd;
  return wanted < longestEnd ? wanted : longestEnd;
}

/** When to hang up a call that has not ended. */
export function longestEndOf(
  call: { gatedAt: Date | null; answeredAt: Date | null },
  times: CallTimes,
): Date {
  const talkMs = times.maxCallSeconds * 1000;
  if (call.answeredAt !== null) return new Date(call.answeredAt.getTime() + talkMs);
  return new Date((call.gatedAt?.getTime() ?? 0) + times.ringTimeoutSeconds * 1000 + talkMs);
}
