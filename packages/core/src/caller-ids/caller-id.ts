import { countryOfNumber } from '../destination.ts';

/** `pending` until the operator confirms that the number is the organization's; nothing uses it until then. */
export const callerIdStates = ['pending', 'active', 'resting', 'retired'] as const;

export type CallerIdState = (typeof callerIdStates)[number];

/** The carrier's attestation of the number (SHAKEN, ATIS-1000074): A in full, B for the customer only, C for the gateway. */
export const attestations = ['A', 'B', 'C'] as const;

export type Attestation = (typeof attestations)[number];

/** Carriers begin to label numbers that make more calls than this a day. */
export const callerIdCallsPerDay = 100;

/** The maximum for an organization, because each dial reads all of them. */
export const callerIdsAtMost = 1_000;

/** The operator's settings for an organization's caller ids. */
export interface CallerIdRules {
  /** Whether to prefer caller ids that resemble the number of the person called. */
  localPresence: boolean;
  /** A caller id rests if a smaller share of its calls in an hour was answered. Null: no check. */
  answerRateFrom: number | null;
  /** A caller id rests if a larger share of its answered calls in an hour ended within ten seconds. Null: no check. */
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
 * The country of a number for the choice of caller ids, ISO 3166 alpha-2; null if its digits do not say. Fictional numbers
 * of the North American plan count as numbers of the United States.
 */
export function callerIdCountry(e164: string): string | null {
  return countryOfNumber(e164).countries[0] ?? null;
}
