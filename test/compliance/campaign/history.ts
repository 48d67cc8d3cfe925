/** A change takes effect somewhere between the request and its answer: surely not before the one, and surely from the other on. */
export interface Change {
  askedMs: number;
  answeredMs: number;
}

/** What was set, and since when; the first of it before anything was dialed. */
export type History<Value> = Array<{ since: Change; value: Value }>;

const fromTheBeginning: Change = { askedMs: -Infinity, answeredMs: -Infinity };

export function historyOf<Value>(value: Value): History<Value> {
  return [{ since: fromTheBeginning, value }];
}

/** All that may have been in force at some instant of a span: between a request and its answer that is the old and the new. */
export function valuesDuring<Value>(history: History<Value>, fromMs: number, toMs = fromMs): Value[] {
  if (history.length === 1) return history.map(({ value }) => value);
  return history.flatMap(({ since, value }, place) => {
    const endMs = history[place + 1]?.since.answeredMs ?? Infinity;
    return since.askedMs <= toMs && endMs >= fromMs ? [value] : [];
  });
}
