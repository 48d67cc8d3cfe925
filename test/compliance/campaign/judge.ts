import { wallClock } from '../../oracle/wall-clock.ts';
import { capsAt, consentAt, mayBeCalled, strictest } from '../checker.ts';
import type { Asked } from '../texts.ts';
import type { Somewhere } from '../people.ts';
import type { ListedPerson } from './list.ts';
import { valuesDuring, type Change } from './history.ts';
import type {
  CampaignHours,
  Dial,
  KnownCallerId,
  KnownConsent,
  Ledger,
  Listed,
  Policy,
  ScrubVersion,
  Terms,
} from './ledger.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** When a change counts. To judge a dial, from its answer on (`surely`). To judge a missing dial, from its request on (`perhaps`). */
export type Certainty = 'surely' | 'perhaps';

/** The first reason against dialing a person at an instant; null if the dial is allowed. */
export function forbiddenBy(
  ledger: Ledger,
  listed: Listed,
  atMs: number,
  certainty: Certainty,
): string | null {
  const { done, value } = reasonsAgainst(ledger, listed, atMs, certainty).next();
  return done === true ? null : value;
}

/**
 * The reasons against dialing a person at an instant, with the names and order of the gate's refusals. Follows only the docs, and uses no rule, table
 * or statement of the engine.
 */
export function* reasonsAgainst(
  ledger: Ledger,
  listed: Listed,
  atMs: number,
  certainty: Certainty,
): Generator<string, undefined> {
  const { terms, person } = listed;
  const since = (change: Change) => atMs >= (certainty === 'surely' ? change.answeredMs : change.askedMs);
  /** If several values of a setting may have been in force, a dial needs one that allows it, and a missing dial is only a fault if all allow it. */
  const allowed = <Value>(values: readonly Value[], allows: (value: Value) => boolean) =>
    certainty === 'surely' ? values.some(allows) : values.every(allows);
  if (atMs < terms.startMs || atMs >= terms.endMs) yield 'not_running';
  if (!allowed(valuesDuring(terms.isPaused, atMs), (isPaused) => !isPaused)) yield 'not_running';
  const optOuts = ledger.optOuts.get(person.phoneNumber) ?? [];
  if (optOuts.some((one) => since(one) && (one.untilMs === null || atMs < one.untilMs))) yield 'suppressed';
  if (lacksConsent(ledger, listed, atMs, certainty)) yield 'no_consent';
  const scrub = scrubbedBy(ledger, listed, atMs, certainty);
  if (scrub !== null) yield scrub;
  if (!isDue(ledger, listed, atMs, allowed)) yield 'not_due';
  if (!allowed(valuesDuring(terms.hours, atMs), (hours) => isInHours(hours, person, atMs))) {
    yield 'window_closed';
  }
  if (!allowed(valuesDuring(ledger.policy, atMs), (policy) => isLawful(policy, person.may, atMs))) {
    yield 'calling_hours';
  }
  const dialed = (ledger.dialsOf.get(person.phoneNumber) ?? []).map((dial) => dial.atMs);
  const isBelowCaps = (policy: Policy) => !isOverCapsOf(policy, person.may, dialed, atMs);
  if (isCapped(ledger, listed, atMs) || !allowed(valuesDuring(ledger.policy, atMs), isBelowCaps)) {
    yield 'person_capped';
  }
  const { callerIds } = ledger;
  if (callerIds !== null && !callerIds.some((one) => callsLeftOf(ledger, one, person, atMs, since) > 0)) {
    yield 'no_caller_id';
  }
  return undefined;
}

/** The reasons against a direct call: the hours and consents of the number's place, the caps, the suppression list and every scrub list. */
export function* directReasonsAgainst(
  ledger: Ledger,
  listed: Listed,
  atMs: number,
  certainty: Certainty,
): Generator<string, undefined> {
  const { person } = listed;
  const since = (change: Change) => atMs >= (certainty === 'surely' ? change.answeredMs : change.askedMs);
  const optOuts = ledger.optOuts.get(person.phoneNumber) ?? [];
  if (optOuts.some((one) => since(one) && (one.untilMs === null || atMs < one.untilMs))) yield 'suppressed';
  const lacks = (policy: Policy) => {
    const asked = asksFor(policy, person.byNumber, listed.terms.purpose);
    return asked !== null && !hasConsent(ledger, listed, atMs, certainty, asked);
  };
  const ofDay = valuesDuring(ledger.policy, atMs);
  if (certainty === 'surely' ? ofDay.every(lacks) : ofDay.some(lacks)) yield 'no_consent';
  const isOn = ({ numbers }: ScrubVersion) => numbers.has(person.phoneNumber);
  const isListed = [...ledger.scrubs.values()].some((versions) => {
    const current = valuesDuring(versions, atMs);
    return certainty === 'surely' ? current.length > 0 && current.every(isOn) : current.some(isOn);
  });
  if (isListed) yield 'on_scrub_list';
  const policies = valuesDuring(ledger.policy, atMs);
  const isAllowed = (policy: Policy) => isLawful(policy, person.byNumber, atMs);
  if (certainty === 'surely' ? !policies.some(isAllowed) : !policies.every(isAllowed)) yield 'calling_hours';
  const instants = (ledger.dialsOf.get(person.phoneNumber) ?? []).map((dial) => dial.atMs);
  const isOver = (policy: Policy) => isOverCapsOf(policy, person.byNumber, instants, atMs);
  const isOverCaps = certainty === 'surely' ? policies.every(isOver) : policies.some(isOver);
  if (isOften(instants, atMs) || isOverCaps || within(instants, atMs, 4 * hourMs) > 0) yield 'person_capped';
  const { callerIds } = ledger;
  if (callerIds !== null && !callerIds.some((one) => callsLeftOf(ledger, one, person, atMs, since) > 0)) {
    yield 'no_caller_id';
  }
  return undefined;
}

/** Whether the campaign or a text asks for a consent that is not there. */
function lacksConsent(ledger: Ledger, listed: Listed, atMs: number, certainty: Certainty): boolean {
  const { terms, person, addedMs } = listed;
  if (terms.requireConsent && !hasConsent(ledger, listed, atMs, certainty)) return true;
  const ofPolicy = (policy: Policy, at: number) => {
    const asked = asksFor(policy, person.may, terms.purpose);
    return asked !== null && !hasConsent(ledger, listed, at, certainty, asked);
  };
  if (certainty === 'surely') {
    return valuesDuring(ledger.policy, atMs).every((policy) => ofPolicy(policy, atMs));
  }
  // A recipient who was due without consent while the policy was strict is finished, and stays so under another policy.
  return ledger.policy.some(({ since, value }, place) => {
    const endMs = ledger.policy[place + 1]?.since.answeredMs ?? Infinity;
    return since.askedMs <= atMs && endMs >= addedMs && ofPolicy(value, Math.min(endMs, atMs));
  });
}

/** The strictest consent that the texts of these places ask for. */
function asksFor(policy: Policy, places: readonly Somewhere[], purpose: Terms['purpose']) {
  const asked = places.map((place) => consentAt(place, policy, purpose));
  return strictest.find((one) => asked.includes(one)) ?? null;
}

/** A recipient without a consent at its due time is finished. So a person who was on the list during a gap between two consents may never be dialed. */
function hasConsent(
  ledger: Ledger,
  listed: Listed,
  atMs: number,
  certainty: Certainty,
  asked: Asked = 'express',
): boolean {
  const { terms, person, addedMs } = listed;
  const since = (change: Change) => atMs >= (certainty === 'surely' ? change.answeredMs : change.askedMs);
  const consents = ledger.consents.get(person.phoneNumber) ?? [];
  const changes = ledger.numberChanges.get(person.phoneNumber) ?? [];
  if (certainty === 'perhaps' && changes.some(({ told }) => since(told))) {
    const again = consents.at(-1)?.recorded.answeredMs ?? Infinity;
    if (addedMs <= again) return false;
  }
  const are = consents.filter((one) => asked === 'express' || one.kind === asked);
  return are.some((one) => covers(ledger, { consent: one, terms, person, atMs, certainty }));
}

/** Whether a consent was in force and covers the campaign's purpose. */
export function covers(
  ledger: Ledger,
  asked: {
    consent: KnownConsent;
    terms: Terms;
    person: Pick<ListedPerson, 'phoneNumber'>;
    atMs: number;
    certainty: Certainty;
  },
): boolean {
  const { consent, terms, person, atMs, certainty } = asked;
  const since = (change: Change) => atMs >= (certainty === 'surely' ? change.answeredMs : change.askedMs);
  const { recorded, givenMs, expiresMs, revoked } = consent;
  if (atMs < (certainty === 'surely' ? recorded.askedMs : recorded.answeredMs)) return false;
  if (atMs < givenMs || (expiresMs !== null && atMs >= expiresMs)) return false;
  if (revoked !== null && since(revoked)) return false;
  const changes = ledger.numberChanges.get(person.phoneNumber) ?? [];
  if (changes.some(({ told, changedMs }) => changedMs >= givenMs && since(told))) return false;
  return consent.covers === null || consent.covers.includes(terms.purpose);
}

/** docs/compliance.md, "Scrub lists": A list is valid for 31 days, and a recipient that was on it at its due time is finished. */
function scrubbedBy(ledger: Ledger, listed: Listed, atMs: number, certainty: Certainty): string | null {
  const { terms, person, addedMs } = listed;
  for (const name of terms.scrubLists) {
    const current = valuesDuring(ledger.scrubs.get(name) ?? [], atMs);
    const isOld = ({ scrubbedMs }: ScrubVersion) => atMs >= scrubbedMs + 31 * dayMs;
    if (certainty === 'surely' ? current.every(isOld) : current.some(isOld) || current.length === 0) {
      return 'scrub_outdated';
    }
  }
  for (const name of terms.scrubLists) {
    const versions = ledger.scrubs.get(name) ?? [];
    const isOn = ({ numbers }: ScrubVersion) => numbers.has(person.phoneNumber);
    const isRefused =
      certainty === 'surely'
        ? valuesDuring(versions, atMs).every(isOn)
        : valuesDuring(versions, Math.min(addedMs, atMs), atMs).some(isOn);
    if (isRefused) return 'on_scrub_list';
  }
  return null;
}

/**
 * How many calls a caller id may still make to a person after the dials that are noted up to an instant: none if it has not the person's country or is
 * stopped, and otherwise what is left of the last 24 hours.
 */
export function callsLeftOf(
  ledger: Ledger,
  callerId: KnownCallerId,
  person: ListedPerson,
  atMs: number,
  since: (change: Change) => boolean,
): number {
  if (callerId.country !== person.country) return 0;
  if (callerId.stopped !== null && since(callerId.stopped)) return 0;
  const made = within(ledger.dialsFrom.get(callerId.phoneNumber) ?? [], atMs + 1, dayMs + 1);
  return Math.max(0, callerId.callsPerDay - made);
}

/** Counts the sorted instants in the span before `atMs`, which is exclusive. */
function within(instants: readonly number[], atMs: number, spanMs: number): number {
  return countBefore(instants, atMs) - countBefore(instants, atMs - spanMs + 1);
}

/** Counts the sorted instants before another one. */
function countBefore(instants: readonly number[], atMs: number): number {
  let [from, to] = [0, instants.length];
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    if ((instants[middle] ?? Infinity) < atMs) from = middle + 1;
    else to = middle;
  }
  return from;
}

const datesOf = new Map<string, Map<number, string>>();
const datesAtMost = 10_000;

/** The local date of a call. All clocks of the person show the same date, because the campaign's hours do not cross midnight. */
function dateOf({ may }: ListedPerson, atMs: number): string {
  const zone = may[0]?.zones[0] ?? 'UTC';
  let dates = datesOf.get(zone);
  // Cached, because the checker repeatedly uses the same instants: those of the step and of the person's dials.
  if (dates === undefined || dates.size > datesAtMost) datesOf.set(zone, (dates = new Map<number, string>()));
  let date = dates.get(atMs);
  if (date === undefined) dates.set(atMs, (date = wallClock(zone, atMs).date));
  return date;
}

type Allowed = <Value>(values: readonly Value[], allows: (value: Value) => boolean) => boolean;

/** Whether a call to the person is due: the first one, a call-back after its delay, or a new round on another day. */
function isDue(ledger: Ledger, listed: Listed, atMs: number, allowed: Allowed): boolean {
  const { terms, person, addedMs, dials } = listed;
  const before = countBefore(
    dials.map((dial) => dial.atMs),
    atMs,
  );
  const last = dials[before - 1];
  if (last === undefined) return atMs >= addedMs;
  if (!terms.retryOn.includes(last.outcome)) return false;
  const isLater = isLaterDay(person, last.atMs, atMs);
  return allowed(callBacksAfter(ledger, listed, { nth: before - 1, untilMs: atMs }), (next) => {
    if (next !== null) return atMs >= next.atMs && (next.isOfRound || isLater);
    return terms.roundEachDay && isLater;
  });
}

const isLaterDay = (person: ListedPerson, oneMs: number, otherMs: number) =>
  dateOf(person, otherMs) > dateOf(person, oneMs);

interface CallBack {
  atMs: number;
  /** False if it falls on another day, on which it begins a new round. */
  isOfRound: boolean;
}

interface Standing {
  madeOfRound: number;
  next: CallBack | null;
}

/** The call-back after the nth dial, from 0; null if its round has none left. There may be several if hours or policy changed after a dial. */
function callBacksAfter(
  ledger: Ledger,
  listed: Listed,
  { nth, untilMs }: { nth: number; untilMs: number },
): Array<CallBack | null> {
  const { terms, dials } = listed;
  let states: Standing[] = [{ madeOfRound: 0, next: null }];
  for (const [place, dial] of dials.slice(0, nth + 1).entries()) {
    const endMs = place === nth ? untilMs : (dials[place + 1]?.atMs ?? untilMs);
    states = states.flatMap(({ madeOfRound: made, next }): Standing[] => {
      const madeOfRound = next?.isOfRound === true ? made + 1 : 1;
      const delay = terms.delaysSeconds[madeOfRound - 1];
      if (delay === undefined) return [{ madeOfRound, next: null }];
      const atMs = dial.endedMs + delay * 1000;
      const answers = terms.roundEachDay
        ? opensOnDayOf(ledger, listed, { dial, endMs, fromMs: atMs })
        : [true];
      return answers.map((isOfRound) => ({ madeOfRound, next: { atMs, isOfRound } }));
    });
  }
  return states.map(({ next }) => next);
}

const opensOnDays = new WeakMap<Dial, Map<string, boolean>>();
const walkMs = 5 * 60_000;

/**
 * Whether the day of a dial has an instant left, from `fromMs` on, at which the person may be called, under each of the hours and policies that were
 * in force until the next dial. Checks instant by instant.
 */
function opensOnDayOf(
  ledger: Ledger,
  { terms, person }: Listed,
  { dial, endMs, fromMs }: { dial: Dial; endMs: number; fromMs: number },
): boolean[] {
  const known = opensOnDays.get(dial) ?? new Map<string, boolean>();
  opensOnDays.set(dial, known);
  const answers = valuesDuring(ledger.policy, dial.atMs, endMs).flatMap((policy) =>
    valuesDuring(terms.hours, dial.atMs, endMs).map((hours) => {
      const key = `${policy} ${hours.fromHour} ${hours.toHour} ${hours.onWeekends}`;
      let opens = known.get(key);
      if (opens === undefined) {
        opens = false;
        for (
          let ms = fromMs;
          !isLaterDay(person, dial.atMs, ms) && !opens;
          ms = (Math.floor(ms / walkMs) + 1) * walkMs
        ) {
          opens = isInHours(hours, person, ms) && isLawful(policy, person.may, ms);
        }
        known.set(key, opens);
      }
      return opens;
    }),
  );
  return [...new Set(answers)];
}

interface Remembered {
  atMs: number;
  answers: Map<object | string, boolean>;
}
const remembered: Remembered = { atMs: 0, answers: new Map() };

/** Cached, because many people have the same place. */
function once(key: object | string, atMs: number, ask: () => boolean): boolean {
  if (remembered.atMs !== atMs) Object.assign(remembered, { atMs, answers: new Map() });
  const known = remembered.answers.get(key);
  if (known !== undefined) return known;
  const answer = ask();
  remembered.answers.set(key, answer);
  return answer;
}

interface Zones {
  zones: readonly string[];
  name: string;
  placeName: string;
}
const zonesOfPeople = new WeakMap<object, Zones>();

function zonesOf(may: ListedPerson['may']): Zones {
  let known = zonesOfPeople.get(may);
  if (known === undefined) {
    const zones = [...new Set(may.flatMap((place) => place.zones))];
    const name = zones.join();
    const places = may.map(({ country, region }) => `${country} ${region}`).join();
    zonesOfPeople.set(may, (known = { zones, name, placeName: `${places} ${name}` }));
  }
  return known;
}

/** The campaign's hours and days apply on every possible clock of the person. */
function isInHours(
  { fromHour, toHour, onWeekends }: CampaignHours,
  { may }: ListedPerson,
  atMs: number,
): boolean {
  const { zones, name } = zonesOf(may);
  return once(`${fromHour} ${toHour} ${onWeekends} ${name}`, atMs, () =>
    zones.every((zone) => {
      const { date, msOfDay } = wallClock(zone, atMs);
      const weekday = new Date(`${date}T12:00:00Z`).getUTCDay();
      if (!onWeekends && (weekday === 0 || weekday === 6)) return false;
      return msOfDay >= fromHour * hourMs && msOfDay < toHour * hourMs;
    }),
  );
}

function isLawful(policy: Policy, may: ListedPerson['may'], atMs: number): boolean {
  if (may.length === 0) return false;
  return once(`${policy} ${zonesOf(may).placeName}`, atMs, () =>
    may.every((place) => mayBeCalled(place, policy, atMs)),
  );
}

const isOften = (instants: readonly number[], atMs: number) =>
  within(instants, atMs, dayMs) >= 3 || within(instants, atMs, 7 * dayMs) >= 7;

/** docs/compliance.md, "Caps per person": the caps of the texts for every place of the person. */
function isOverCapsOf(
  policy: Policy,
  places: ListedPerson['may'],
  instants: readonly number[],
  atMs: number,
): boolean {
  return places
    .flatMap((place) => capsAt(place, policy))
    .some(({ calls, hours }) => within(instants, atMs, hours * hourMs) >= calls);
}

/** docs/compliance.md, "Caps per person": 3 in 24 hours, 7 in 7 days, 4 hours between campaigns, 7 days after a conversation about a debt. */
function isCapped(ledger: Ledger, { terms, person }: Listed, atMs: number): boolean {
  const dials = ledger.dialsOf.get(person.phoneNumber) ?? [];
  if (
    isOften(
      dials.map((dial) => dial.atMs),
      atMs,
    )
  ) {
    return true;
  }
  const others = dials.filter((dial) => dial.terms.id !== terms.id).map((dial) => dial.atMs);
  if (within(others, atMs, 4 * hourMs) > 0) return true;
  if (terms.purpose !== 'debt_collection') return false;
  const talks = dials.filter(
    (dial) => dial.terms.purpose === 'debt_collection' && dial.outcome === 'completed',
  );
  return (
    within(
      talks.map((dial) => dial.endedMs).toSorted((one, other) => one - other),
      atMs,
      7 * dayMs,
    ) > 0
  );
}
