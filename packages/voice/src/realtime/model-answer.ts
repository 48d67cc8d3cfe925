import { randomUUID } from 'node:crypto';
import type { ToolCall } from '../language-model/index.ts';
import type { RealtimeEvent } from './realtime-events.ts';
import { spokenItem, type SpokenItem, type SpokenItemWriter } from './speech-stream.ts';

/** What one answer of the model brings, in its order. */
export type RealtimePart =
  | { kind: 'item'; item: SpokenItem }
  | { kind: 'text'; text: string }
  | { kind: 'tool_calls'; calls: ToolCall[] };

/** An event of an answer that is being given. */
export type AnswerEvent = Extract<RealtimeEvent, { response_id: string }>;

const callsAtMost = 8;
const longestAnswerMs = 120_000;

/** One answer of the model, as its events come in. */
export class ModelAnswer {
  /** Of the request for it. */
  readonly eventId = `outdial_${randomUUID()}`;
  /** What the server calls it; null until it says so. */
  responseId: string | null = null;
  readonly #parts: RealtimePart[] = [];
  readonly #items = new Map<string, SpokenItemWriter>();
  readonly #calls: ToolCall[] = [];
  #over: { failure: Error | null } | null = null;
  #changed = Promise.withResolvers<void>();
  readonly #silence: NodeJS.Timeout;
  readonly #limit: NodeJS.Timeout;

  /** @param late told where nothing comes for `silentMs`, and where the answer does not end */
  constructor(silentMs: number, late: { silent: () => void; tooLong: () => void }) {
    this.#silence = setTimeout(late.silent, silentMs);
    this.#limit = setTimeout(late.tooLong, longestAnswerMs);
  }

  /** The server is not silent. */
  heard(): void {
    this.#silence.refresh();
  }

  take(event: AnswerEvent): void {
    switch (event.type) {
      case 'response.output_item.added':
        return;
      case 'response.output_audio.delta':
        return this.#itemOf(event.item_id).addSound(Buffer.from(event.delta, 'base64'));
      case 'response.output_audio.done':
        return this.#items.get(event.item_id)?.end();
      case 'response.output_audio_transcript.delta':
        return this.#itemOf(event.item_id).addText(event.delta);
      case 'response.output_text.delta':
        return this.#push({ kind: 'text', text: event.delta });
      case 'response.output_item.done': {
        const { type, name, call_id: callId, arguments: given } = event.item;
        if (type !== 'function_call' || name === undefined || callId === undefined) return;
        if (this.#calls.length < callsAtMost) this.#calls.push({ id: callId, name, arguments: given ?? '' });
      }
    }
  }

  /** @param failure null where it is whole, or is not wanted any more */
  end(failure: Error | null): void {
    clearTimeout(this.#silence);
    clearTimeout(this.#limit);
    for (const item of this.#items.values()) item.end(failure ?? undefined);
    if (failure === null && this.#calls.length > 0) {
      this.#parts.push({ kind: 'tool_calls', calls: this.#calls });
    }
    this.#over = { failure };
    this.#changed.resolve();
  }

  /** Until it ends, or is aborted. */
  async *parts(signal: AbortSignal): AsyncGenerator<RealtimePart, void, void> {
    while (!signal.aborted) {
      const part = this.#parts.shift();
      if (part !== undefined) {
        yield part;
        continue;
      }
      if (this.#over !== null) {
        if (this.#over.failure !== null) throw this.#over.failure;
        return;
      }
      await this.#changed.promise;
      this.#changed = Promise.withResolvers<void>();
    }
  }

  #push(part: RealtimePart): void {
    this.#parts.push(part);
    this.#changed.resolve();
  }

  /** A new item is a part of the answer with its first sound or word. */
  #itemOf(id: string): SpokenItemWriter {
    const known = this.#items.get(id);
    if (known) return known;
    const item = spokenItem(id);
    this.#items.set(id, item);
    this.#push({ kind: 'item', item });
    return item;
  }
}
