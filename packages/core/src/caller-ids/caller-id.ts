import { countryOfNumber } from '../destination.ts';

export const callerIdStates = ['active', 'resting', 'retired'] as const;

export type CallerIdState = (typeof callerIdStates)[number];

/** How far the carrier vouches for the number (SHAKEN, ATIS-1000074): A in full, B for the customer alone, C for the gateway. */
export const attestations = ['A', 'B', 'C'] as const;

export type Attestation = (typeof attestations)[number];

/** Where somebody is called more often from one number, carriers begin to label it. */
export const callerIdCallsPerDay = 100;

/** An organization has no more caller ids: each claim reads all of them. */
export const callerIdsAtMost = 1_000;

/** What an operator sets for the caller ids of an organization. */
export interface CallerIdRules {
  /** Whether people may be called from a number that is chosen for its likeness to theirs. */
  localPresence: boolean;
  /** A caller id rests when a smaller share of its calls of an hour was answered; null does not look. */
  answerRateFrom: number | null;
  /** A caller id rests when a larger share of its answered calls of an hour was over within ten seconds; null does not look. */
  shortCallsTo: number | null;
  restHours: number;
}

export const defaultCallerIdRules: CallerIdRules = {
  localPresence: false,
  answerRateFrom: 0.05,
  shortCallsTo: 0.6,
  restHours: 24,
};

/**
 * The country of a number as far as caller ids go, ISO 3166 alpha-2; null where its digits do not say. Numbers of fiction
 * in the plan of North America are of the United States.
 */
export function callerIdCountry(e164: string): string | null {
  return countryOfNumber(e164).countries[0] ?? null;
}
