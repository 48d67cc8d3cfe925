/** How calls ended, by the hour of the day in which they were made and by attempt. */
export interface CallResults {
  calls: number;
  /** By hour, 0 to 23, on the clock of the campaign. */
  hours: Counted[];
  /** By attempt, from the first. */
  attempts: Counted[];
  minutes: number;
  cost: number;
}

export interface Counted {
  calls: number;
  reached: number;
}

interface EndedCall {
  createdAt: string;
  outcome: string | null;
  attempt: number;
  seconds: number;
  cost: number;
}

export function emptyResults(): CallResults {
  return { calls: 0, hours: Array.from({ length: 24 }, nothing), attempts: [], minutes: 0, cost: 0 };
}

function nothing(): Counted {
  return { calls: 0, reached: 0 };
}

/** Counts a call. Ignores calls in progress, which have no outcome yet. */
export function countCall(results: CallResults, call: EndedCall, hourOf: (at: string) => number): void {
  if (call.outcome === null) return;
  const reached = call.outcome === 'completed' ? 1 : 0;
  results.calls += 1;
  results.minutes += call.seconds / 60;
  results.cost += call.cost;
  while (results.attempts.length < call.attempt) results.attempts.push(nothing());
  for (const counted of [results.hours[hourOf(call.createdAt)], results.attempts[call.attempt - 1]]) {
    if (counted === undefined) continue;
    counted.calls += 1;
    counted.reached += reached;
  }
}

export function hourClock(timeZone: string): (at: string) => number {
  const format = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', hourCycle: 'h23' });
  return (at) => Number(format.format(new Date(at)));
}

/** Hours with fewer calls are not significant. */
const callsThatSaySomething = 10;

/** The hours with the largest share of reached people, best first: three at most. */
export function bestHours({ hours }: Pick<CallResults, 'hours'>): Array<Counted & { hour: number }> {
  return hours
    .map((counted, hour) => ({ ...counted, hour }))
    .filter(({ calls }) => calls >= callsThatSaySomething)
    .toSorted((one, other) => other.reached / other.calls - one.reached / one.calls)
    .slice(0, 3);
}
