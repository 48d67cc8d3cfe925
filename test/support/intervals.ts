export interface Interval {
  fromMs: number;
  /** Infinity if it has not ended. */
  untilMs: number;
}

/** The maximum number of intervals at one instant. An interval that ends when another one begins does not overlap with it. */
export function mostAtOnce(intervals: readonly Interval[]): number {
  const changes = intervals.flatMap(({ fromMs, untilMs }) => [
    { at: fromMs, by: 1 },
    { at: untilMs, by: -1 },
  ]);
  changes.sort((one, other) => one.at - other.at || one.by - other.by);
  let now = 0;
  let most = 0;
  for (const { by } of changes) most = Math.max(most, (now += by));
  return most;
}

/** The maximum number of instants in any span of a second. */
export function mostInASecond(instantsMs: readonly number[]): number {
  const instants = instantsMs.toSorted((one, other) => one - other);
  let first = 0;
  let most = 0;
  for (const [last, at] of instants.entries()) {
    while (at - (instants[first] ?? at) >= 1000) first += 1;
    most = Math.max(most, last - first + 1);
  }
  return most;
}

export function longestGapMs(instantsMs: readonly number[]): number {
  const instants = instantsMs.toSorted((one, other) => one - other);
  let longest = 0;
  for (const [n, at] of instants.entries()) longest = Math.max(longest, at - (instants[n - 1] ?? at));
  return longest;
}
