import type { VoiceCall } from '@outdial/db';
import type { OpenedConversation } from '../conversation/open-conversation.ts';
import { type CallNotes, collectNotes } from './call-notes.ts';
import { type RenderedSpeech, renderSpeech } from './rendered-speech.ts';

export type Opened = OpenedConversation & { kind: 'open' };

/** Everything that can be done for a call before it is answered. */
export interface PreparedCall {
  opened: Opened;
  notes: CallNotes;
  greeting: RenderedSpeech | null;
}

/** Calls that ring: when the person answers, the agent's first words are ready. */
export interface PreparedCalls {
  /** Prepares calls that have begun to ring, and drops those that were not answered. Returns the number that it has begun. */
  look(): Promise<number>;
  /** The preparation of this call, which the caller now owns; null if there is none. */
  take(callId: string): Promise<PreparedCall | null>;
  close(): void;
}

/** A greeting beyond this is made as it is spoken: it would be held in memory for every call that rings. */
const lettersAtMost = 600;

export function createPreparedCalls(args: {
  awaited: () => Promise<ReadonlyArray<{ callId: string; organizationId: string; rings: boolean }>>;
  find: (scope: { organizationId: string; callId: string }) => Promise<VoiceCall | null>;
  open: (call: VoiceCall, notes: CallNotes) => Promise<OpenedConversation>;
  /** Opens connections to the models that it will ask. */
  warm?: (opened: Opened) => void;
  speak: (opened: Opened, text: string, signal: AbortSignal) => AsyncIterable<Int16Array>;
  log: { warn(fields: object, message: string): void };
}): PreparedCalls {
  const prepared = new Map<string, Promise<PreparedCall | null>>();
  const taken = new Set<string>();
  let isClosed = false;

  async function prepare(scope: { organizationId: string; callId: string }): Promise<PreparedCall | null> {
    const call = await args.find(scope);
    if (call === null) return null;
    const notes = collectNotes();
    const opened = await args.open(call, notes);
    if (opened.kind === 'refused') return null;
    args.warm?.(opened);
    const words = await opened.conversation.greeting();
    const conversation = { ...opened.conversation, greeting: () => Promise.resolve(words) };
    const renders = opened.realtime === null && words !== null && words.length <= lettersAtMost && !isClosed;
    return {
      opened: { ...opened, conversation },
      notes,
      greeting: renders ? renderSpeech((text, signal) => args.speak(opened, text, signal), words) : null,
    };
  }

  function forget(callId: string): void {
    const gone = prepared.get(callId);
    prepared.delete(callId);
    void gone?.then((call) => call?.greeting?.drop());
  }

  return {
    async look() {
      const awaited = new Map((await args.awaited()).map((call) => [call.callId, call]));
      for (const callId of prepared.keys()) if (!awaited.has(callId)) forget(callId);
      for (const callId of taken) if (!awaited.has(callId)) taken.delete(callId);
      const begun = [...awaited.values()].filter(
        ({ callId, rings }) => rings && !taken.has(callId) && !prepared.has(callId) && !isClosed,
      );
      for (const call of begun) {
        const preparing = prepare(call).catch((error: unknown) => {
          args.log.warn({ err: error, call_id: call.callId }, 'a call could not be prepared');
          return null;
        });
        prepared.set(call.callId, preparing);
      }
      return begun.length;
    },
    async take(callId) {
      taken.add(callId);
      const call = prepared.get(callId);
      prepared.delete(callId);
      return (await call) ?? null;
    },
    close() {
      isClosed = true;
      for (const callId of prepared.keys()) forget(callId);
    },
  };
}
