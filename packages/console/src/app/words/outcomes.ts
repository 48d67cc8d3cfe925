/** Texts for outcomes of calls and states of people. */
export const outcomeWords: Readonly<Record<string, string>> = {
  completed: 'Reached',
  no_answer: 'No answer',
  busy: 'Busy',
  rejected: 'Rejected',
  voicemail: 'Voicemail',
  failed: 'Failed',
  invalid_number: 'Invalid number',
  canceled: 'Canceled',
  unknown: 'Unknown',
};

/** In drawing order, which is the same everywhere, so that each colour has a fixed place. */
export const outcomeOrder = Object.keys(outcomeWords);

export const stateWords: Readonly<Record<string, string>> = {
  waiting: 'Not called yet',
  retrying: 'To be called again',
  in_call: 'In a call',
  reached: 'Reached',
  unreached: 'Not reached',
  suppressed: 'Never call',
  withdrawn: 'Withdrawn',
};

export const stateOrder = [
  'reached',
  'in_call',
  'retrying',
  'waiting',
  'unreached',
  'suppressed',
  'withdrawn',
] as const;

export const callStatusWords: Readonly<Record<string, string>> = {
  init: 'Ringing',
  start: 'Talking',
  finish: 'Ended',
  error: 'Failed',
  other: 'Ended',
};

/** `meta.outcome` of a call that has ended. */
export function outcomeOf(call: { meta: Record<string, unknown> | null }): string | null {
  const outcome = call.meta?.['outcome'];
  return typeof outcome === 'string' ? outcome : null;
}
