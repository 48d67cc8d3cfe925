import { AsyncBuffer } from '../async-buffer.ts';
import type { ConversationStep, PreparedReply } from './conversation.ts';

/**
 * Begins a reply. Its words are taken as soon as the model writes them, but a tool runs only once the reply is used.
 * @param args `forget`: removes the reply, and what it replies to, from the history
 */
export function prepareReply(args: {
  reply: (signal: AbortSignal) => AsyncGenerator<ConversationStep>;
  forget: () => void;
}): PreparedReply {
  const stopped = new AbortController();
  const reply = args.reply(stopped.signal);
  const ahead = new AsyncBuffer<ConversationStep>();

  async function takeWords(): Promise<void> {
    for (;;) {
      const next = await reply.next();
      if (next.done === true) return ahead.end();
      ahead.push(next.value);
      // The reply is suspended here. It would run a tool next.
      if (next.value.kind !== 'say') return ahead.end();
    }
  }
  takeWords().catch((error: unknown) => ahead.end(error instanceof Error ? error : new Error(String(error))));

  return {
    async *steps(signal) {
      const stop = () => stopped.abort();
      signal.addEventListener('abort', stop, { once: true });
      if (signal.aborted) stop();
      try {
        yield* ahead.read(signal);
        yield* reply;
      } finally {
        signal.removeEventListener('abort', stop);
      }
    },
    discard() {
      stopped.abort();
      args.forget();
    },
  };
}
