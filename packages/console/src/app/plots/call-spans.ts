import type { CallSpan } from './call-series.ts';

const spansAtMost = 20_000;

/** The calls in the plots, from two sources that may overtake each other: lists of calls, and the event stream. */
export class CallSpans {
  readonly #spans = new Map<string, CallSpan>();

  /** Adds a call from a list. If the stream has already reported the call's end, the list is older and is ignored. */
  add(id: string, span: CallSpan): void {
    const known = this.#spans.get(id);
    if (known === undefined || known.endedAt === null) this.#spans.set(id, span);
    else this.#spans.set(id, { ...known, startedAt: span.startedAt });
  }

  /** Adds an event of the stream; `at` in seconds since 1970. */
  note({ id, type, at }: { id: string; type: string; at: number }): void {
    const known = this.#spans.get(id);
    if (type === 'call.ended') this.#spans.set(id, { startedAt: known?.startedAt ?? at, endedAt: at });
    else if (known === undefined) this.#spans.set(id, { startedAt: at, endedAt: null });
    const [oldest] = this.#spans.keys();
    if (this.#spans.size > spansAtMost && oldest !== undefined) this.#spans.delete(oldest);
  }

  get size(): number {
    return this.#spans.size;
  }

  values(): Iterable<CallSpan> {
    return this.#spans.values();
  }
}
