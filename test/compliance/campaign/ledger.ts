import type { Outcome } from '@outdial/core';
import { historyOf, type Change, type History } from './history.ts';
import type { ListedPerson } from './list.ts';

/** Hours of the day, on every possible clock of the person. */
export interface CampaignHours {
  fromHour: number;
  toHour: number;
  onWeekends: boolean;
}

export type Policy = 'strict' | 'standard';

/** The settings of a campaign, in the checker's own format. */
export interface Terms {
  id: string;
  name: string;
  purpose: 'marketing' | 'service' | 'debt_collection';
  requireConsent: boolean;
  startMs: number;
  endMs: number;
  hours: History<CampaignHours>;
  isPaused: History<boolean>;
  /** The scrub lists that it needs. */
  scrubLists: readonly string[];
  /** The delay before each call-back of a round. */
  delaysSeconds: readonly number[];
  /** Whether each day begins a new round. */
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
  /** The disclosures of the call. */
  said: readonly string[];
}

/** A person on the list of a campaign. */
export interface Listed {
  terms: Terms;
  person: ListedPerson;
  addedMs: number;
  dials: Dial[];
}

export interface KnownConsent {
  id: string;
  /** In writing, or in another form. */
  kind: 'express' | 'written';
  covers: readonly string[] | null;
  givenMs: number;
  /** When the consent was recorded. */
  recorded: Change;
  expiresMs: number | null;
  revoked: Change | null;
}

/** A reassigned number: earlier consents do not count. */
export interface KnownNumberChange {
  told: Change;
  changedMs: number;
}

export interface ScrubVersion {
  scrubbedMs: number;
  numbers: ReadonlySet<string>;
}

export interface KnownCallerId {
  phoneNumber: string;
  country: string;
  callsPerDay: number;
  /** When a user rested or retired it. */
  stopped: Change | null;
}

/** The requests to one organization and its dials. The judge uses only this data. */
export interface Ledger {
  name: string;
  policy: History<Policy>;
  listed: Listed[];
  /** Direct calls, by number. */
  direct: Map<string, Listed>;
  /** The dials of all campaigns, by number, in the order of their gates. */
  dialsOf: Map<string, Array<Dial & { terms: Terms }>>;
  optOuts: Map<string, Array<Change & { untilMs: number | null }>>;
  consents: Map<string, KnownConsent[]>;
  numberChanges: Map<string, KnownNumberChange[]>;
  /** Versions of each list. */
  scrubs: Map<string, History<ScrubVersion>>;
  /** The operator's disclosures, by place: `*`, a country or a state. */
  disclosures: ReadonlyMap<string, string>;
  /** Null if the organization has none. */
  callerIds: KnownCallerId[] | null;
  dialsFrom: Map<string, number[]>;
}

export function emptyLedger(policy: Policy, disclosures: ReadonlyMap<string, string>): Ledger {
  return {
    name: `opened as ${policy}`,
    policy: historyOf<Policy>(policy),
    listed: [],
    direct: new Map(),
    dialsOf: new Map(),
    optOuts: new Map(),
    consents: new Map(),
    numberChanges: new Map(),
    scrubs: new Map(),
    disclosures,
    callerIds: null,
    dialsFrom: new Map(),
  };
}

/** Adds a dial. */
export function noteDial(ledger: Ledger, listed: Listed, dial: Dial): void {
  listed.dials.push(dial);
  append(ledger.dialsOf, listed.person.phoneNumber, { ...dial, terms: listed.terms });
  if (dial.fromPhone !== null) append(ledger.dialsFrom, dial.fromPhone, dial.atMs);
}

export function append<Value>(lists: Map<string, Value[]>, key: string, value: Value): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}
