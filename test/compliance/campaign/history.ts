/** A change takes effect between its request and its answer: certainly not before the request, and certainly from the answer on. */
export interface Change {
  askedMs: number;
  answeredMs: number;
}

/** The values of a setting with their changes, beginning with the value before the first dial. */
export type History<Value> = Array<{ since: Change; value: Value }>;

const fromTheBeginning: Change = { askedMs: -Infinity, answeredMs: -Infinity };

export function historyOf<Value>(value: Value): History<Value> {
  return [{ since: fromTheBeginning, value }];
}

/** All values that may have been in force at an instant: between a request and its answer, the old and the new one. */
export function valuesDuring<Value>(history: History<Value>, fromMs: number, toMs = fromMs): Value[] {
  if (history.length === 1) return history.map(({ value }) => value);
  return history.flatMap(({ since, value }, place) => {
    const endMs = history[place + 1]?.since.answeredMs ?? Infinity;
    return since.askedMs <= toMs && endMs >= fromMs ? [value] : [];
  });
}
