import { decideRetry, dialingWindow, type ForecastCase, type Outcome } from '@outdial/core';

/** The true probabilities of a call's outcome, which the forecast does not know. */
export interface Truth {
  outcome: Outcome;
  share: number;
  seconds: number;
  spreadSeconds: number;
}

interface Person {
  key: string;
  dueMs: number;
  attempts: number;
  round: number;
  roundAttempts: number;
  firstAttemptMs: number | null;
}

/**
 * Simulates a campaign call by call: a queue of people, and lines that are busy until their call ends. Shares only the rules for windows and retries
 * with forecasts, not their groups, steps and averages. Returns the instant of the last call's end, or its end date if
 * people are left whose window opens no more.
 */
export function playCampaign(of: ForecastCase, truths: readonly Truth[], random: () => number): number {
  const people: Person[] = of.groups.flatMap(({ count, ...one }) =>
    Array.from({ length: count }, () => ({ ...one })),
  );
  const order = new Map(people.map((one) => [one, random()]));
  const busyUntil: number[] = Array.from({ length: of.lines }, () => of.nowMs);
  const endMs = of.schedule.endAt?.getTime() ?? Number.POSITIVE_INFINITY;
  let lastEndMs = of.nowMs;
  let nextSlotMs = of.nowMs;
  let waiting = people;
  let someStay = false;
  for (;;) {
    const line = busyUntil.indexOf(Math.min(...busyUntil));
    let atMs = Math.max(busyUntil[line] ?? 0, nextSlotMs);
    // The person due for longest comes first. A person whose window is closed is due when it opens.
    let chosen: Person | undefined;
    for (;;) {
      if (waiting.length === 0) return someStay ? endMs : lastEndMs;
      chosen = waiting.reduce((best, one) =>
        one.dueMs < best.dueMs || (one.dueMs === best.dueMs && (order.get(one) ?? 0) < (order.get(best) ?? 0))
          ? one
          : best,
      );
      atMs = Math.max(atMs, chosen.dueMs);
      if (atMs >= endMs) return endMs;
      const window = dialingWindow(of.schedule, chosen.key, new Date(atMs));
      if (window.kind === 'open') break;
      if (window.kind === 'closed') chosen.dueMs = window.opensAt.getTime();
      else waiting = waiting.filter((one) => one !== chosen);
      someStay ||= window.kind === 'over';
      atMs = Math.max(busyUntil[line] ?? 0, nextSlotMs);
    }
    const person = chosen;
    if (of.callsPerSecond !== null) nextSlotMs = atMs + 1000 / of.callsPerSecond;
    const truth = draw(truths, random);
    const seconds = Math.max(0.2, truth.seconds + gauss(random) * truth.spreadSeconds);
    const endedMs = atMs + seconds * 1000;
    busyUntil[line] = endedMs;
    lastEndMs = Math.max(lastEndMs, endedMs);
    person.firstAttemptMs ??= atMs;
    const decision = decideRetry({
      policy: of.policy,
      schedule: of.schedule,
      zone: person.key,
      history: {
        attempts: person.attempts + 1,
        round: person.round,
        roundAttempts: person.roundAttempts + 1,
        attemptedAt: new Date(atMs),
        firstAttemptAt: new Date(person.firstAttemptMs),
      },
      outcome: truth.outcome,
      endedAt: new Date(endedMs),
    });
    if (decision.kind === 'retry_at' || decision.kind === 'next_round') {
      person.attempts += 1;
      person.dueMs = decision.at.getTime();
      person.roundAttempts = decision.kind === 'next_round' ? 0 : person.roundAttempts + 1;
      if (decision.kind === 'next_round') person.round = decision.round;
    } else waiting = waiting.filter((one) => one !== person);
  }
}

export function draw(truths: readonly Truth[], random: () => number): Truth {
  let left = random();
  for (const truth of truths) {
    left -= truth.share;
    if (left < 0) return truth;
  }
  const last = truths.at(-1);
  if (last === undefined) throw new RangeError('no outcome');
  return last;
}

export function gauss(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
