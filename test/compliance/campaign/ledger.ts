import type { Outcome } from '@outdial/core';
import type { ListedPerson } from './list.ts';

/** What a campaign was told, in the checker's own words. Hours are of the day, on every clock that may be the person's. */
export interface Terms {
  id: string;
  name: string;
  purpose: 'marketing' | 'service' | 'debt_collection';
  requireConsent: boolean;
  startMs: number;
  endMs: number;
  fromHour: number;
  toHour: number;
  onWeekends: boolean;
  /** Before each call-back of a round; as many as there are. */
  delaysSeconds: readonly number[];
  /** Whether another day brings a fresh round. */
  roundEachDay: boolean;
  retryOn: readonly Outcome[];
}

export interface Dial {
  callId: string;
  atMs: number;
  endedMs: number;
  outcome: Outcome;
  fromPhone: string | null;
  consentId: string | null;
}

/** Somebody on the list of a campaign. */
export interface Listed {
  terms: Terms;
  person: ListedPerson;
  addedMs: number;
  dials: Dial[];
}

/** A change takes effect somewhere between the request and its answer: surely not before the one, and surely from the other on. */
export interface Change {
  askedMs: number;
  answeredMs: number;
}

export interface KnownConsent {
  id: string;
  covers: readonly string[] | null;
  givenMs: number;
  expiresMs: number | null;
  revoked: Change | null;
}

export interface KnownCallerId {
  phoneNumber: string;
  country: string;
  callsPerDay: number;
  /** Rested or retired by hand. */
  stopped: Change | null;
}

/** What was sent to one organization, and what it dialed: all that the judge goes by. */
export interface Ledger {
  policy: 'strict' | 'standard';
  listed: Listed[];
  /** Of all campaigns, by number, in the order of their gates. */
  dialsOf: Map<string, Array<Dial & { terms: Terms }>>;
  optOuts: Map<string, Array<Change & { untilMs: number | null }>>;
  consents: Map<string, KnownConsent[]>;
  /** Null where the organization calls from none of its own. */
  callerIds: KnownCallerId[] | null;
  dialsFrom: Map<string, number[]>;
}

export function emptyLedger(policy: Ledger['policy']): Ledger {
  return {
    policy,
    listed: [],
    dialsOf: new Map(),
    optOuts: new Map(),
    consents: new Map(),
    callerIds: null,
    dialsFrom: new Map(),
  };
}

/** Writes a dial down. */
export function noteDial(ledger: Ledger, listed: Listed, dial: Dial): void {
  listed.dials.push(dial);
  const { phoneNumber } = listed.person;
  ledger.dialsOf.set(phoneNumber, [
    ...(ledger.dialsOf.get(phoneNumber) ?? []),
    { ...dial, terms: listed.terms },
  ]);
  if (dial.fromPhone === null) return;
  ledger.dialsFrom.set(dial.fromPhone, [...(ledger.dialsFrom.get(dial.fromPhone) ?? []), dial.atMs]);
}
