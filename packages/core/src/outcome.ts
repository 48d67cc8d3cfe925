/** How an attempt ended (design, section 2). */
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
