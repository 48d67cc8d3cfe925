import { attestations, callerIdCountry, type Attestation, type CallerIdRules } from './caller-id.ts';

/** A usable caller id, with its state at an instant. */
export interface PooledCallerId {
  id: string;
  country: string;
  /** Prefixes of the numbers that it is local to, in E.164. */
  prefixes: readonly string[];
  attestation: Attestation | null;
  callsPerDay: number;
  callsPerHour: number | null;
  /** The days over which its daily calls grow to `callsPerDay`; 0 for no warm-up. */
  warmUpDays: number;
  warmUpFrom: Date;
  /** Calls of the last 24 hours and of the last hour, and the time of the first one in each. */
  day: { calls: number; firstAt: Date | null };
  hour: { calls: number; firstAt: Date | null };
}

export interface CalledPerson {
  phoneNumber: string;
  lastCallerId: string | null;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** The daily limit on a day of the warm-up: it grows linearly, and is at least one. */
export function callsPerDayAt(of: PooledCallerId, now: Date): number {
  if (of.warmUpDays === 0) return of.callsPerDay;
  const days = Math.floor(Math.max(0, now.getTime() - of.warmUpFrom.getTime()) / dayMs);
  if (days >= of.warmUpDays) return of.callsPerDay;
  return Math.max(1, Math.floor((of.callsPerDay * (days + 1)) / (of.warmUpDays + 1)));
}

export function callsLeft(of: PooledCallerId, now: Date): number {
  const ofDay = callsPerDayAt(of, now) - of.day.calls;
  const ofHour = of.callsPerHour === null ? ofDay : of.callsPerHour - of.hour.calls;
  return Math.max(0, Math.min(ofDay, ofHour));
}

/** When a caller id without capacity has capacity again: when its oldest call leaves the span. */
export function freeAt(of: PooledCallerId, now: Date): Date {
  const ends: number[] = [];
  if (callsPerDayAt(of, now) <= of.day.calls) ends.push((of.day.firstAt ?? now).getTime() + dayMs);
  if (of.callsPerHour !== null && of.callsPerHour <= of.hour.calls) {
    ends.push((of.hour.firstAt ?? now).getTime() + hourMs);
  }
  return new Date(Math.max(now.getTime(), ...ends));
}

/**
 * Chooses a caller id for each person in turn, from the person's country and with free capacity; null if there is none. The caller id of the last call to
 * the person comes first, then those that are local to the number if that is allowed, then the better attestation, then the one with the
 * largest share of its calls left.
 */
export function chooseCallerIds(
  pool: readonly PooledCallerId[],
  rules: Pick<CallerIdRules, 'localPresence'>,
  people: readonly CalledPerson[],
  now: Date,
): Array<string | null> {
  const candidates = pool.map((callerId): Candidate => ({
    callerId,
    left: callsLeft(callerId, now),
    perDay: callsPerDayAt(callerId, now),
    attestation:
      callerId.attestation === null ? attestations.length : attestations.indexOf(callerId.attestation),
  }));
  return people.map((person) => {
    const country = callerIdCountry(person.phoneNumber);
    let best: Candidate | null = null;
    let bestLocal = 0;
    for (const one of candidates) {
      if (one.callerId.country !== country || one.left === 0) continue;
      const local = rules.localPresence ? localTo(one.callerId, person.phoneNumber) : 0;
      if (best === null || isBefore({ one, local }, { one: best, local: bestLocal }, person)) {
        best = one;
        bestLocal = local;
      }
    }
    if (best === null) return null;
    best.left -= 1;
    return best.callerId.id;
  });
}

interface Candidate {
  callerId: PooledCallerId;
  /** Calls that it may make. */
  left: number;
  perDay: number;
  /** Its place among the attestations, the best one first. */
  attestation: number;
}

/** Whether one is the better choice. `local`: how many digits of the number it shares, if that counts. */
function isBefore(
  { one, local }: { one: Candidate; local: number },
  { one: other, local: otherLocal }: { one: Candidate; local: number },
  { lastCallerId }: CalledPerson,
): boolean {
  const calledLast = ({ callerId }: Candidate) => Number(callerId.id === lastCallerId);
  const order =
    calledLast(other) - calledLast(one) ||
    otherLocal - local ||
    one.attestation - other.attestation ||
    other.left / other.perDay - one.left / one.perDay;
  return order < 0;
}

/** How many digits of a number the longest prefix covers. */
function localTo({ prefixes }: PooledCallerId, phoneNumber: string): number {
  let longest = 0;
  for (const one of prefixes) {
    if (one.length > longest && phoneNumber.startsWith(one)) longest = one.length;
  }
  return longest;
}
