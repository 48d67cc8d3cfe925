import type { Outcome } from '../outcome.ts';
import { gamma, normal, type Random } from './random.ts';

/** How often calls ended with an outcome, and how long they occupied their lines. */
export interface OutcomeRate {
  outcome: Outcome;
  calls: number;
  /** From the gate to the end. */
  seconds: number;
  /** The spread of single calls around it. */
  spreadSeconds: number;
}

export interface OutcomeRates {
  from: 'organization' | 'defaults';
  /** The number of ended calls in the sample. */
  callsLookedAt: number;
  rates: readonly OutcomeRate[];
}

/** With fewer calls than this, an organization's own rates are less reliable than these. */
export const ownCallsAtLeast = 50;

/** Assumed for an organization without calls. They weigh as much as twenty calls, so forecasts from them have a wide range. */
export const defaultRates: OutcomeRates = {
  from: 'defaults',
  callsLookedAt: 0,
  rates: [
    { outcome: 'completed', calls: 7, seconds: 120, spreadSeconds: 90 },
    { outcome: 'no_answer', calls: 6, seconds: 35, spreadSeconds: 10 },
    { outcome: 'voicemail', calls: 4, seconds: 45, spreadSeconds: 20 },
    { outcome: 'busy', calls: 1.5, seconds: 5, spreadSeconds: 3 },
    { outcome: 'failed', calls: 1, seconds: 5, spreadSeconds: 3 },
    { outcome: 'rejected', calls: 0.5, seconds: 10, spreadSeconds: 5 },
  ],
};

export interface SampledRate {
  outcome: Outcome;
  share: number;
  seconds: number;
  spreadSeconds: number;
}

/** Samples rates that the observed calls also support: the fewer calls were observed, or are to be made, the wider. */
export function sampleRates({ rates }: OutcomeRates, people: number, random: Random): SampledRate[] {
  const drawn = rates.map((rate) => ({
    outcome: rate.outcome,
    spreadSeconds: rate.spreadSeconds,
    // Jeffreys' prior lets outcomes that were seen once or never be a little more or less frequent.
    weight: gamma(random, rate.calls + 0.5),
    seconds: Math.max(
      0.05,
      rate.seconds +
        normal(random) *
          rate.spreadSeconds *
          Math.sqrt(1 / Math.max(1, rate.calls) + 1 / Math.max(1, people)),
    ),
  }));
  const all = drawn.reduce((sum, { weight }) => sum + weight, 0);
  return drawn.map(({ weight, ...one }) => ({ ...one, share: weight / all }));
}
