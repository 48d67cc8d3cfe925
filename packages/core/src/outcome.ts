export const publicCallStatuses = ['init', 'start', 'finish', 'error', 'other'] as const;

export type PublicCallStatus = (typeof publicCallStatuses)[number];

/** How an attempt ended, with the status that the API shows then. */
export const statusOfOutcome = {
  completed: 'finish',
  no_answer: 'other',
  busy: 'other',
  rejected: 'other',
  voicemail: 'other',
  failed: 'error',
  invalid_number: 'error',
  canceled: 'other',
  unknown: 'error',
} as const satisfies Record<string, PublicCallStatus>;

export type Outcome = keyof typeof statusOfOutcome;

// `Object.keys` forgets the names.
export const outcomes = Object.keys(statusOfOutcome) as Outcome[];
