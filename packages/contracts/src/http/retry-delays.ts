import { z } from 'zod';
import { outcome } from './outcome.ts';

/** Far longer than any useful delay, and within the database's range. */
export const longestRetryDelaySeconds = 30 * 86_400;
/** The maximum number of call-backs in a round. */
const delaysAtMost = 10;

const sequence = z.array(z.int().min(0).max(longestRetryDelaySeconds)).min(1).max(delaysAtMost);

/** `[900, 3600]`, or by outcome `{"busy": [60, 300], "no_answer": [900]}`. */
export const retryDelays = z.union([sequence, z.partialRecord(outcome.exclude(['completed']), sequence)], {
  error: `Input should be a list of 1 to ${delaysAtMost} delays in seconds, or an object with such a list for each outcome`,
});
