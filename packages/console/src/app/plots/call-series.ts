/** One call as the plots see it; times in seconds since 1970. */
export interface CallSpan {
  startedAt: number;
  /** Null while the call is in progress. */
  endedAt: number | null;
}

export interface Series {
  /** The beginnings of the minutes, in seconds. */
  minutes: number[];
  callsPerMinute: number[];
  /** The most lines that were in use at the same time in each minute. */
  lines: number[];
}

/** Calls per minute and lines in use over the last `minutes` minutes until `now`. */
export function callSeries(calls: Iterable<CallSpan>, now: number, minutes: number): Series {
  const last = Math.floor(now / 60) * 60;
  const first = last - (minutes - 1) * 60;
  const series: Series = {
    minutes: Array.from({ length: minutes }, (_, at) => first + at * 60),
    callsPerMinute: Array.from({ length: minutes }, () => 0),
    lines: Array.from({ length: minutes }, () => 0),
  };
  const changes: Array<{ at: number; by: 1 | -1 }> = [];
  for (const { startedAt, endedAt } of calls) {
    const minute = Math.floor((startedAt - first) / 60);
    const before = series.callsPerMinute[minute];
    if (before !== undefined) series.callsPerMinute[minute] = before + 1;
    changes.push({ at: startedAt, by: 1 });
    if (endedAt !== null) changes.push({ at: Math.max(endedAt, startedAt), by: -1 });
  }
  // A line that is released and taken in the same instant counts once.
  changes.sort((one, other) => one.at - other.at || one.by - other.by);
  let inUse = 0;
  let next = 0;
  for (const [at, minute] of series.minutes.entries()) {
    // Lines in use at the start of the minute count for it.
    for (; next < changes.length && (changes[next]?.at ?? 0) < minute; next++) {
      inUse += changes[next]?.by ?? 0;
    }
    let most = inUse;
    for (; next < changes.length && (changes[next]?.at ?? 0) < minute + 60; next++) {
      inUse += changes[next]?.by ?? 0;
      most = Math.max(most, inUse);
    }
    series.lines[at] = Math.max(0, most);
  }
  return series;
}
