import { type LockedCall, webProvider } from '@outdial/db';
import type { DialingSettings } from '../deps.ts';
import type { CallReport } from './fold-facts.ts';

export type CallTimes = Pick<DialingSettings, 'ringTimeoutSeconds' | 'maxCallSeconds'>;

/** How long after the longest ringing a call without news is looked up. */
const overdueMs = 15_000;

/** When to repeat a look-up without news, at the earliest. */
const unchangedRetryMs = 15_000;
/** An answered call has no events before its end, so only a look-up finds an end whose event was lost: within two minutes. */
const firstTalkCheckMs = { least: 60_000, most: 110_000 };

/** When to look up the call if no event arrives: when the provider expects news, else when the call is overdue. */
export function nextCheck(
  call: LockedCall,
  report: CallReport,
  { times, usualTalkMs, now }: { times: CallTimes; usualTalkMs: number | null; now: Date },
): Date {
  const longestEnd = longestEndOf(call, times);
  const wanted = report.nextChangeAt ?? wantedCheck(call, report, { times, usualTalkMs, now }) ?? longestEnd;
  return wanted < longestEnd ? wanted : longestEnd;
}

function wantedCheck(
  call: LockedCall,
  report: CallReport,
  { times, usualTalkMs, now }: { times: CallTimes; usualTalkMs: number | null; now: Date },
): Date | null {
  if (call.phase === 'answered' && call.answered_at !== null) {
    // Nobody can be asked about it. It ends a minute after this instant, if its voice process does not end it (`findLostWebCalls`).
    if (call.provider === webProvider) return null;
    const { answered_at: answeredAt } = call;
    if (report.wasLookedUp === true) return talkCheckAfter(answeredAt, now);
    const { least, most } = firstTalkCheckMs;
    const first = new Date(answeredAt.getTime() + within(2 * (usualTalkMs ?? 0), least, most));
    // An event about a call that was looked up already.
    return first > now ? first : call.check_at;
  }
  if (report.wasLookedUp === true) return new Date(now.getTime() + unchangedRetryMs);
  if (call.accepted_at === null) return call.check_at;
  return new Date((call.gated_at ?? now).getTime() + times.ringTimeoutSeconds * 1000 + overdueMs);
}

/** The next look-up of an answered call that goes on, or could not be looked up. The longer it lasts, the rarer they are, up to a limit. */
export function talkCheckAfter(answeredAt: Date, now: Date): Date {
  const lastsMs = now.getTime() - answeredAt.getTime();
  return new Date(now.getTime() + within(lastsMs / 2, unchangedRetryMs, firstTalkCheckMs.most));
}

const within = (ms: number, least: number, most: number) => Math.min(Math.max(ms, least), most);

export function longestEndOf(
  call: { gated_at: Date | null; answered_at: Date | null },
  times: CallTimes,
): Date {
  const talkMs = times.maxCallSeconds * 1000;
  if (call.answered_at !== null) return new Date(call.answered_at.getTime() + talkMs);
  return new Date((call.gated_at?.getTime() ?? 0) + times.ringTimeoutSeconds * 1000 + talkMs);
}
