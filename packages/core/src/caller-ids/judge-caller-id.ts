import type { CallerIdRules } from './caller-id.ts';

/** The calls of a caller id that ended within the last hour. */
export interface CallerIdHour {
  ended: number;
  answered: number;
  /** Answered, and over within ten seconds. */
  short: number;
}

/** A shorter conversation counts as hung up at once. */
export const shortCallSeconds = 10;

/** With fewer calls, the shares mean nothing. */
export const judgedCallsFrom = 20;

/** Decides whether a caller id rests because people no longer answer its calls, or hang up at once. */
export function judgeCallerId(
  hour: CallerIdHour,
  rules: CallerIdRules,
): { kind: 'keep' } | { kind: 'rest'; reason: 'answer_rate' | 'short_calls' } {
  const { ended, answered, short } = hour;
  if (rules.answerRateFrom !== null && ended >= judgedCallsFrom && answered < rules.answerRateFrom * ended) {
    return { kind: 'rest', reason: 'answer_rate' };
  }
  if (rules.shortCallsTo !== null && answered >= judgedCallsFrom && short > rules.shortCallsTo * answered) {
    return { kind: 'rest', reason: 'short_calls' };
  }
  return { kind: 'keep' };
}
