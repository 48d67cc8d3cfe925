import type { outcomes as outcomesOfApi } from '@outdial/client';

/** The colour is that of a state. */
type InWords = readonly [text: string, colour: (typeof stateOrder)[number]];

/** In drawing order, which is the same everywhere, so that each colour has a fixed place. */
const outcomes: Readonly<Record<string, InWords>> = {
  completed: ['Reached', 'reached'],
  no_answer: ['No answer', 'retrying'],
  busy: ['Busy', 'retrying'],
  rejected: ['Rejected', 'unreached'],
  voicemail: ['Voicemail', 'suppressed'],
  failed: ['Failed', 'unreached'],
  invalid_number: ['Invalid number', 'unreached'],
  canceled: ['Canceled', 'withdrawn'],
  unknown: ['Unknown', 'withdrawn'],
} satisfies Record<(typeof outcomesOfApi)[number], InWords>;

export const outcomeOrder = Object.keys(outcomes);

/** The outcomes after which a campaign may call back. */
export const retryOutcomes = ['no_answer', 'busy', 'voicemail', 'failed', 'rejected', 'unknown'] as const;

export const outcomeText = (outcome: string): string => outcomes[outcome]?.[0] ?? outcome;

export const outcomeColour = (outcome: string): string => outcomes[outcome]?.[1] ?? 'withdrawn';

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
