import { randomUUID } from 'node:crypto';
import { AsyncBuffer } from '../async-buffer.ts';
import type { ToolCall } from '../language-model/index.ts';
import type { RealtimeEvent } from './realtime-events.ts';
import type { SpokenItem } from '../conversation/conversation.ts';
import { fromMuLaw } from '../audio/mu-law.ts';

/** The parts of one answer, in order. */
export type RealtimePart =
  | { kind: 'item'; item: SpokenItem }
  | { kind: 'text'; text: string }
  | { kind: 'tool_calls'; calls: ToolCall[] };

/** An event of an answer in progress. */
export type AnswerEvent = Extract<RealtimeEvent, { response_id: string }>;

const callsAtMost = 8;
const longestAnswerMs = 120_000;

export class ModelAnswer {
  /** The id of the request. */
  readonly eventId = `outdial_${randomUUID()}`;
  /** The server's id; null until it is known. */
  responseId: string | null = null;
  readonly #parts = new AsyncBuffer<RealtimePart>();
  readonly #items = new Map<string, SpokenItemWriter>();
  readonly #calls: ToolCall[] = [];
  readonly #silence: NodeJS.Timeout;
  readonly #limit: NodeJS.Timeout;

  /** @param late `silent`: nothing came for `silentMs`. `tooLong`: the answer does not end */
  constructor(silentMs: number, late: { silent: () => void; tooLong: () => void }) {
    this.#silence = setTimeout(late.silent, silentMs);
    this.#limit = setTimeout(late.tooLong, longestAnswerMs);
  }

  /** Restarts the timeout for silence. */
  refresh(): void {
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
        return this.#parts.push({ kind: 'text', text: event.delta });
      case 'response.output_item.done': {
        const { type, name, call_id: callId, arguments: given } = event.item;
        if (type !== 'function_call' || name === undefined || callId === undefined) return;
        if (this.#calls.length < callsAtMost) this.#calls.push({ id: callId, name, arguments: given ?? '' });
      }
    }
  }

  /** @param failure null if the answer is complete or no longer wanted */
  end(failure: Error | null): void {
    clearTimeout(this.#silence);
    clearTimeout(this.#limit);
    for (const item of this.#items.values()) item.end(failure ?? undefined);
    if (failure === null && this.#calls.length > 0) {
      this.#parts.push({ kind: 'tool_calls', calls: this.#calls });
    }
    this.#parts.end(failure);
  }

  parts(signal: AbortSignal): AsyncGenerator<RealtimePart, void, void> {
    return this.#parts.read(signal);
  }

  /** Returns the writer of an item. The first audio or word of an item adds it to the answer. */
  #itemOf(id: string): SpokenItemWriter {
    const known = this.#items.get(id);
    if (known) return known;
    const item = spokenItem(id);
    this.#items.set(id, item);
    this.#parts.push({ kind: 'item', item });
    return item;
  }
}

interface SpokenItemWriter extends SpokenItem {
  addText(text: string): void;
  addSound(bytes: Uint8Array): void;
  end(error?: Error): void;
}

const bytesPerMs = 8;
/** Three minutes. No item is longer. */
const bytesAtMost = 180_000 * bytesPerMs;

function spokenItem(id: string): SpokenItemWriter {
  const chunks = new AsyncBuffer<Uint8Array>();
  let words = '';
  let bytes = 0;
  return {
    id,
    text: () => words,
    ms: () => bytes / bytesPerMs,
    addText(text) {
      words += text;
    },
    addSound(sound) {
      if (chunks.isEnded || bytes + sound.length > bytesAtMost) return;
      bytes += sound.length;
      chunks.push(sound);
    },
    end: (error) => chunks.end(error),
    async *samples(signal) {
      for await (const chunk of chunks.read(signal)) yield fromMuLaw(chunk);
    },
  };
}
