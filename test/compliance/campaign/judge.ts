import { wallClock } from '../../oracle/wall-clock.ts';
import { mayBeCalled } from '../checker.ts';
import type { ListedPerson } from './list.ts';
import type { Change, Dial, KnownCallerId, KnownConsent, Ledger, Listed, Terms } from './ledger.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/**
 * Whether somebody may be dialed at an instant, by the docs alone: null, or what forbids it, under the name that a refusal would have.
 * No rule, table or statement of the engine is asked.
 *
 * A change counts from its answer on when a dial is judged (`surely`), and from its request on when one is missed (`perhaps`).
 */
export function forbiddenBy(
  ledger: Ledger,
  listed: Listed,
  atMs: number,
  changes: 'surely' | 'perhaps',
): string | null {
  const { terms, person } = listed;
  const since = (change: Change) => atMs >= (changes === 'surely' ? change.answeredMs : change.askedMs);
  if (atMs < terms.startMs || atMs >= terms.endMs) return 'not_running';
  const optOuts = ledger.optOuts.get(person.phoneNumber) ?? [];
  if (optOuts.some((one) => since(one) && (one.untilMs === null || atMs < one.untilMs))) return 'suppressed';
  if (terms.requireConsent && !consentsOf(ledger, listed).some((one) => covers(one, terms, atMs, since))) {
    return 'no_consent';
  }
  if (!isDue(ledger, listed, atMs)) return 'not_due';
  if (!isInHours(terms, person, atMs)) return 'window_closed';
  if (!isLawful(ledger.policy, person, atMs)) return 'calling_hours';
  if (isCapped(ledger, listed, atMs)) return 'person_capped';
  const { callerIds } = ledger;
  if (callerIds !== null && !callerIds.some((one) => mayCallFrom(ledger, one, person, atMs, since))) {
    return 'no_caller_id';
  }
  return null;
}

const consentsOf = (ledger: Ledger, { person }: Listed) => ledger.consents.get(person.phoneNumber) ?? [];

/** Whether a consent was in force and covers what the campaign calls for. */
export function covers(
  consent: KnownConsent,
  terms: Terms,
  atMs: number,
  since: (change: Change) => boolean,
): boolean {
  if (atMs < consent.givenMs || (consent.expiresMs !== null && atMs >= consent.expiresMs)) return false;
  if (consent.revoked !== null && since(consent.revoked)) return false;
  return consent.covers === null || consent.covers.includes(terms.purpose);
}

/** Caller ids that may call somebody at an instant: of the country, not stopped, with calls left of the last 24 hours. */
export function mayCallFrom(
  ledger: Ledger,
  callerId: KnownCallerId,
  person: ListedPerson,
  atMs: number,
  since: (change: Change) => boolean,
): boolean {
  if (callerId.country !== person.country) return false;
  if (callerId.stopped !== null && since(callerId.stopped)) return false;
  return within(ledger.dialsFrom.get(callerId.phoneNumber) ?? [], atMs, dayMs) < callerId.callsPerDay;
}

/** How many instants lie in the span that ends at another one, which itself does not count. */
function within(instants: readonly number[], atMs: number, spanMs: number): number {
  let count = 0;
  for (const one of instants) if (one < atMs && one > atMs - spanMs) count += 1;
  return count;
}

/** The date of all clocks of a person where the campaign may call: its hours are by day, so they show the same one. */
const dateOf = ({ may }: ListedPerson, atMs: number) => wallClock(may[0]?.zones[0] ?? 'UTC', atMs).date;

/** Whether the campaign owes the person a call: the first, a call-back after its delay, or a fresh round on another day. */
function isDue({ policy }: Ledger, listed: Listed, atMs: number): boolean {
  const { terms, person, addedMs, dials } = listed;
  const before = dials.filter((dial) => dial.atMs < atMs);
  const last = before.at(-1);
  if (last === undefined) return atMs >= addedMs;
  if (!terms.retryOn.includes(last.outcome)) return false;
  const next = callBackAfter(policy, listed, before.length - 1);
  if (next !== null) return atMs >= next.atMs && (next.isOfRound || isLaterDay(person, last.atMs, atMs));
  return terms.roundEachDay && isLaterDay(person, last.atMs, atMs);
}

const isLaterDay = (person: ListedPerson, oneMs: number, otherMs: number) =>
  dateOf(person, otherMs) > dateOf(person, oneMs);

interface CallBack {
  atMs: number;
  /** False where it falls on another day, whose fresh round it is. */
  isOfRound: boolean;
}

/** The call-back that follows the nth dial, from 0; null where its round has none left. */
function callBackAfter(policy: Ledger['policy'], listed: Listed, nth: number): CallBack | null {
  const { terms, dials } = listed;
  let madeOfRound = 0;
  let next: CallBack | null = null;
  for (const dial of dials.slice(0, nth + 1)) {
    madeOfRound = next?.isOfRound === true ? madeOfRound + 1 : 1;
    const delay = terms.delaysSeconds[madeOfRound - 1];
    const atMs = dial.endedMs + (delay ?? 0) * 1000;
    next =
      delay === undefined
        ? null
        : { atMs, isOfRound: !terms.roundEachDay || opensOnDayOf(policy, listed, dial, atMs) };
  }
  return next;
}

const opensOnDays = new WeakMap<Dial, boolean>();
const walkMs = 5 * 60_000;

/** Whether the day of a dial has an instant left, from one on, at which the person may be called. Looks at one after the other. */
function opensOnDayOf(
  policy: Ledger['policy'],
  { terms, person }: Listed,
  dial: Dial,
  fromMs: number,
): boolean {
  let known = opensOnDays.get(dial);
  if (known === undefined) {
    known = false;
    for (
      let ms = fromMs;
      !isLaterDay(person, dial.atMs, ms) && !known;
      ms = (Math.floor(ms / walkMs) + 1) * walkMs
    ) {
      known = isInHours(terms, person, ms) && isLawful(policy, person, ms);
    }
    opensOnDays.set(dial, known);
  }
  return known;
}

interface Remembered {
  atMs: number;
  answers: Map<object | string, boolean>;
}
const remembered: Remembered = { atMs: 0, answers: new Map() };

/** People of one place are asked about at one instant again and again. */
function once(key: object | string, atMs: number, ask: () => boolean): boolean {
  if (remembered.atMs !== atMs) Object.assign(remembered, { atMs, answers: new Map() });
  const known = remembered.answers.get(key);
  if (known !== undefined) return known;
  const answer = ask();
  remembered.answers.set(key, answer);
  return answer;
}

const zonesOfPeople = new WeakMap<object, { zones: readonly string[]; name: string }>();

function zonesOf(may: ListedPerson['may']): { zones: readonly string[]; name: string } {
  let known = zonesOfPeople.get(may);
  if (known === undefined) {
    const zones = [...new Set(may.flatMap((place) => place.zones))];
    zonesOfPeople.set(may, (known = { zones, name: zones.join() }));
  }
  return known;
}

/** The campaign's hours and days hold on every clock that may be the person's. */
function isInHours(terms: Terms, { may }: ListedPerson, atMs: number): boolean {
  const { zones, name } = zonesOf(may);
  return once(`${terms.id} ${name}`, atMs, () =>
    zones.every((zone) => {
      const { date, msOfDay } = wallClock(zone, atMs);
      const weekday = new Date(`${date}T12:00:00Z`).getUTCDay();
      if (!terms.onWeekends && (weekday === 0 || weekday === 6)) return false;
      return msOfDay >= terms.fromHour * hourMs && msOfDay < terms.toHour * hourMs;
    }),
  );
}

function isLawful(policy: Ledger['policy'], { may }: ListedPerson, atMs: number): boolean {
  if (may.length === 0) return false;
  const name = may.map(({ country, region }) => `${country} ${region}`).join();
  return once(`${policy} ${name} ${zonesOf(may).name}`, atMs, () =>
    may.every((place) => mayBeCalled(place, policy, atMs)),
  );
}

/** docs/compliance.md, "Caps per person": 3 in 24 hours, 7 in 7 days, 4 hours between campaigns, 7 days after a talk about a debt. */
function isCapped(ledger: Ledger, { terms, person }: Listed, atMs: number): boolean {
  const dials = ledger.dialsOf.get(person.phoneNumber) ?? [];
  const instants = dials.map((dial) => dial.atMs);
  if (within(instants, atMs, dayMs) >= 3 || within(instants, atMs, 7 * dayMs) >= 7) return true;
  const others = dials.filter((dial) => dial.terms.id !== terms.id).map((dial) => dial.atMs);
  if (within(others, atMs, 4 * hourMs) > 0) return true;
  if (terms.purpose !== 'debt_collection') return false;
  const talks = dials.filter(
    (dial) => dial.terms.purpose === 'debt_collection' && dial.outcome === 'completed',
  );
  return (
    within(
      talks.map((dial) => dial.endedMs),
      atMs,
      7 * dayMs,
    ) > 0
  );
}
