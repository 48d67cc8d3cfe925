import type { Outcome } from '../outcome.ts';
import { isRetryable, type RetryPolicy } from '../retry-policy.ts';
import type { SampledRate } from './outcome-rates.ts';

/** Outcomes with the same consequence. */
export interface OutcomeClass {
  outcome: Outcome;
  share: number;
  seconds: number;
  spreadSeconds: number;
}

/** Outcomes with their own delays stay separate; the others are merged if they have the same consequence. */
export function classesOf(rates: readonly SampledRate[], policy: RetryPolicy): OutcomeClass[] {
  const classes = new Map<string, OutcomeClass>();
  const { retryDelaysSeconds: delays } = policy;
  const byOutcome = delays !== null && !Array.isArray(delays);
  for (const { outcome, share, seconds, spreadSeconds } of rates) {
    const name =
      outcome === 'completed'
        ? outcome
        : !isRetryable(policy, outcome)
          ? 'over'
          : byOutcome
            ? outcome
            : 'again';
    const known = classes.get(name);
    if (known === undefined) {
      classes.set(name, { outcome, share, seconds, spreadSeconds });
      continue;
    }
    const all = known.share + share;
    const mean = (known.seconds * known.share + seconds * share) / all;
    const variance =
      (known.share * (known.spreadSeconds ** 2 + (known.seconds - mean) ** 2) +
        share * (spreadSeconds ** 2 + (seconds - mean) ** 2)) /
      all;
    known.seconds = mean;
    known.spreadSeconds = Math.sqrt(variance);
    known.share = all;
  }
  return [...classes.values()];
}
