import type { RetryPolicy } from './retry-policy.ts';

/** One attempt, unless a test says otherwise. */
export const singleAttempt: RetryPolicy = {
  callBackAttempts: 0,
  retryDelaySeconds: 900,
  retryDelaysSeconds: null,
  retryOn: ['no_answer', 'busy', 'failed', 'voicemail'],
  queueAgain: false,
  maxAttemptsPerRecipient: null,
};
