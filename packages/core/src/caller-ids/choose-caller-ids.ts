import { attestations, callerIdCountry, type Attestation, type CallerIdRules } from './caller-id.ts';

/** A caller id that may be called from, as it stands at an instant. */
export interface PooledCallerId {
  id: string;
  country: string;
  /** Beginnings of numbers that it is local to, in E.164. */
  prefixes: readonly string[];
  attestation: Attestation | null;
  callsPerDay: number;
  callsPerHour: number | null;
  /** Days in which its calls of a day grow to `callsPerDay`; 0 for none. */
  warmUpDays: number;
  warmUpFrom: Date;
  /** Calls of the last 24 hours and of the last hour, and the first of each. */
  day: { calls: number; firstAt: Date | null };
  hour: { calls: number; firstAt: Date | null };
}

/** Somebody to call, and the caller id that called them last. */
export interface CalledPerson {
  phoneNumber: string;
  lastCallerId: string | null;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Calls of a day on a day of its warm-up: a straight line, with at least one. */
export function callsPerDayAt(of: PooledCallerId, now: Date): number {
  if (of.warmUpDays === 0) return of.callsPerDay;
  const days = Math.floor(Math.max(0, now.getTime() - of.warmUpFrom.getTime()) / dayMs);
  if (days >= of.warmUpDays) return of.callsPerDay;
  return Math.max(1, Math.floor((of.callsPerDay * (days + 1)) / (of.warmUpDays + 1)));
}

/** Calls that it may make now. */
export function roomOf(of: PooledCallerId, now: Date): number {
  const ofDay = callsPerDayAt(of, now) - of.day.calls;
  const ofHour = of.callsPerHour === null ? ofDay : of.callsPerHour - of.hour.calls;
  return Math.max(0, Math.min(ofDay, ofHour));
}

/** When a caller id without room has some again: the oldest call leaves its span. */
export function freeAt(of: PooledCallerId, now: Date): Date {
  const ends: number[] = [];
  if (callsPerDayAt(of, now) <= of.day.calls) ends.push((of.day.firstAt ?? now).getTime() + dayMs);
  if (of.callsPerHour !== null && of.callsPerHour <= of.hour.calls) {
    ends.push((of.hour.firstAt ?? now).getTime() + hourMs);
  }
  return new Date(Math.max(now.getTime(), ...ends));
}

/**
 * A caller id for each person in turn, of the person's country and with room; null where there is none. The one that called the person last
 * comes first, then those that are local to the number where that is allowed, then the better attestation, and then the one that has the
 * largest share of its calls left.
 */
export function chooseCallerIds(
  pool: readonly PooledCallerId[],
  rules: Pick<CallerIdRules, 'localPresence'>,
  people: readonly CalledPerson[],
  now: Date,
): Array<string | null> {
  const standing = pool.map((callerId) => ({ callerId, room: roomOf(callerId, now), taken: 0 }));
  return people.map(({ phoneNumber, lastCallerId }) => {
    const country = callerIdCountry(phoneNumber);
    const rank = ({ callerId, room, taken }: (typeof standing)[number]): number[] => [
      callerId.id === lastCallerId ? 0 : 1,
      rules.localPresence ? -localTo(callerId, phoneNumber) : 0,
      callerId.attestation === null ? attestations.length : attestations.indexOf(callerId.attestation),
      -(room - taken) / callsPerDayAt(callerId, now),
    ];
    let best: { of: (typeof standing)[number]; rank: number[] } | null = null;
    for (const of of standing) {
      if (of.callerId.country !== country || of.taken >= of.room) continue;
      const ranked = rank(of);
      if (best === null || isBefore(ranked, best.rank)) best = { of, rank: ranked };
    }
    if (best === null) return null;
    best.of.taken += 1;
    return best.of.callerId.id;
  });
}

/** How many digits of a number the longest prefix covers. */
function localTo({ prefixes }: PooledCallerId, phoneNumber: string): number {
  return Math.max(0, ...prefixes.filter((one) => phoneNumber.startsWith(one)).map((one) => one.length));
}

function isBefore(one: readonly number[], other: readonly number[]): boolean {
  for (const [place, value] of one.entries()) {
    const against = other[place] ?? 0;
    if (value !== against) return value < against;
  }
  return false;
}
