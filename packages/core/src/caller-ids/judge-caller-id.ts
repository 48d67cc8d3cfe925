import type { CallerIdRules } from './caller-id.ts';

/** The calls of a caller id that ended within the hour. */
export interface CallerIdHour {
  ended: number;
  answered: number;
  /** Answered, and over within ten seconds. */
  short: number;
}

/** A conversation that is over sooner is one that somebody hung up. */
export const shortCallSeconds = 10;

/** Fewer calls say nothing. */
export const judgedCallsFrom = 20;

export type CallerIdVerdict = { kind: 'keep' } | { kind: 'rest'; reason: 'answer_rate' | 'short_calls' };

/** Whether a caller id rests: people do not take its calls any more, or hang up at once. */
export function judgeCallerId(hour: CallerIdHour, rules: CallerIdRules): CallerIdVerdict {
  const { ended, answered, short } = hour;
  if (rules.answerRateFrom !== null && ended >= judgedCallsFrom && answered < rules.answerRateFrom * ended) {
    return { kind: 'rest', reason: 'answer_rate' };
  }
  if (rules.shortCallsTo !== null && answered >= judgedCallsFrom && short > rules.shortCallsTo * answered) {
    return { kind: 'rest', reason: 'short_calls' };
  }
  return { kind: 'keep' };
}
