import type { CallFact, Outcome } from '@outdial/core';

/** How long the simulated carrier rings and talks. Both may be zero. */
export interface SimulatorTimes {
  ringMs: number;
  talkMs: number;
}

/** The fields of a call's row that decide its course. */
export interface SimulatedCall {
  callId: string;
  toPhone: string;
  /** From 1. */
  attempt: number;
  gatedAt: Date;
  systemPrompt: string;
}

export type Course =
  | { kind: 'answers' }
  | { kind: 'answers_for_ever' }
  | { kind: 'fails'; outcome: Outcome; rings: boolean; picksUp: boolean };

const answers: Course = { kind: 'answers' };
const busy: Course = { kind: 'fails', outcome: 'busy', rings: false, picksUp: false };
const noAnswer: Course = { kind: 'fails', outcome: 'no_answer', rings: true, picksUp: false };

/** The course of a call by the last two digits of its number (docs/behaviour.md, "The simulated carrier"). */
export function courseOf(toPhone: string, attempt: number): Course {
  switch (toPhone.slice(-2)) {
    case '91':
      return busy;
    case '92':
      return noAnswer;
    case '93':
      return { kind: 'fails', outcome: 'rejected', rings: true, picksUp: false };
    case '94':
      return { kind: 'fails', outcome: 'voicemail', rings: true, picksUp: true };
    case '95':
      return { kind: 'fails', outcome: 'failed', rings: false, picksUp: false };
    case '96':
      return { kind: 'fails', outcome: 'invalid_number', rings: false, picksUp: false };
    case '97':
      return attempt === 1 ? busy : answers;
    case '98':
      return attempt <= 2 ? noAnswer : answers;
    case '99':
      return { kind: 'answers_for_ever' };
    default:
      return answers;
  }
}

/** All events of a call, in order. A pure function of its row, so that no process has to remember it. */
export function timelineOf(call: SimulatedCall, times: SimulatorTimes): CallFact[] {
  const course = courseOf(call.toPhone, call.attempt);
  const facts: CallFact[] = [];
  const at = (afterMs: number) => new Date(call.gatedAt.getTime() + afterMs);
  const id = (kind: string) => `${call.callId}:${kind}`;
  const rings = course.kind !== 'fails' || course.rings;
  if (rings) facts.push({ kind: 'ringing', eventId: id('ringing'), at: at(0) });
  const picksUp = course.kind !== 'fails' || course.picksUp;
  if (picksUp) facts.push({ kind: 'answered', eventId: id('answered'), at: at(times.ringMs) });
  if (course.kind === 'answers_for_ever') return facts;
  // A busy line, a dead line and an invalid number end at once.
  const endsAfterMs = (rings ? times.ringMs : 0) + (picksUp ? times.talkMs : 0);
  const outcome = course.kind === 'fails' ? course.outcome : 'completed';
  facts.push({
    kind: 'ended',
    eventId: id('ended'),
    at: at(endsAfterMs),
    outcome,
    details: {
      durationSeconds: picksUp ? Math.round(times.talkMs / 1000) : 0,
      externalStatus: `simulated_${outcome}`,
      ...(course.kind === 'answers' && {
        transcript: transcriptOf(call.systemPrompt),
        recordingUrl: `simulator:${call.callId}`,
      }),
    },
  });
  return facts;
}

/** A short conversation that begins with the text of the agent's prompt. */
function transcriptOf(systemPrompt: string): string {
  return [
    `agent: ${systemPrompt.trim()}`,
    'callee: Yes, that is fine. Thank you for calling.',
    'agent: Goodbye.',
  ].join('\n');
}
