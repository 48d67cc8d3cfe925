/** How an attempt ended. */
export const outcomes = [
  'completed',
  'no_answer',
  'busy',
  'rejected',
  'voicemail',
  'failed',
  'invalid_number',
  'canceled',
  'unknown',
] as const;

export type Outcome = (typeof outcomes)[number];
