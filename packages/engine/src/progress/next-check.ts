import type { LockedCall } from '@outdial/db';
import type { DialingSettings } from '../deps.ts';
import type { CallReport } from './fold-facts.ts';

export type CallTimes = Pick<DialingSettings, 'ringTimeoutSeconds' | 'maxCallSeconds'>;

/** The time that a provider may take in addition to ringing, before we ask it. */
const overdueMs = 15_000;

/** When to ask the provider if no event arrives: at the time it gave, else once the call is overdue. */
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

/** The instant past which a call is hung up: the longest ringing and the longest conversation after its gate. */
export function longestEndOf(
  call: { gatedAt: Date | null; answeredAt: Date | null },
  times: CallTimes,
): Date {
  const talkMs = times.maxCallSeconds * 1000;
  if (call.answeredAt !== null) return new Date(call.answeredAt.getTime() + talkMs);
  return new Date((call.gatedAt?.getTime() ?? 0) + times.ringTimeoutSeconds * 1000 + talkMs);
}
