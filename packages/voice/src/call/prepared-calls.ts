import type { CallKey, VoiceCall } from '@outdial/db';
import { splitSentences } from '../conversation/sentences.ts';
import type { OpenedConversation } from '../conversation/conversation-call.ts';
import { type CallNotes, createCallNotes } from './call-notes.ts';
import { type RenderedPieces, renderPieces } from './rendered-speech.ts';

export type Opened = OpenedConversation & { kind: 'open' };

export interface PreparedCall {
  opened: Opened;
  notes: CallNotes;
  greeting: RenderedPieces | null;
}

/** A longer greeting is synthesized when it is spoken, to bound the memory of ringing calls. */
const lettersAtMost = 600;

/**
 * The pieces of a scripted text, each of which is synthesized separately: if a voice breaks off, the record says at which sentence. A carrier or a realtime
 * model that speaks gets the whole text.
 */
export const piecesOf = ({ voice }: Pick<Opened, 'voice'>, text: string): string[] =>
  voice.mode === 'cascade' ? splitSentences(text, voice.language) : [text];

export type PreparedCalls = ReturnType<typeof createPreparedCalls>;

/** Prepares calls while they ring, so that the agent's first words are ready when the person answers. */
export function createPreparedCalls(args: {
  listReserved: () => Promise<ReadonlyArray<{ callId: string; organizationId: string; rings: boolean }>>;
  find: (scope: CallKey) => Promise<VoiceCall | null>;
  open: (call: VoiceCall, notes: CallNotes) => Promise<OpenedConversation>;
  /** Opens connections to the models of the call. */
  warm?: (opened: Opened) => void;
  speak: (opened: Opened, text: string, signal: AbortSignal) => AsyncIterable<Int16Array>;
  log: { warn(fields: object, message: string): void };
}) {
  const prepared = new Map<string, Promise<PreparedCall | null>>();
  const taken = new Set<string>();
  let isClosed = false;

  async function prepare(scope: CallKey): Promise<PreparedCall | null> {
    const call = await args.find(scope);
    if (call === null) return null;
    const notes = createCallNotes();
    const opened = await args.open(call, notes);
    if (opened.kind === 'refused') return null;
    args.warm?.(opened);
    const words = await opened.conversation.greeting();
    const conversation = { ...opened.conversation, greeting: () => Promise.resolve(words) };
    const renders = opened.realtime === null && words !== null && words.length <= lettersAtMost && !isClosed;
    return {
      opened: { ...opened, conversation },
      notes,
      greeting: renders
        ? renderPieces((text, signal) => args.speak(opened, text, signal), piecesOf(opened, words))
        : null,
    };
  }

  function drop(callId: string): void {
    const call = prepared.get(callId);
    prepared.delete(callId);
    void call?.then((dropped) => dropped?.greeting?.drop());
  }

  return {
    /** Prepares calls that have begun to ring, and drops those that ended unanswered. Returns how many it began to prepare. */
    async poll(): Promise<number> {
      const reserved = new Map((await args.listReserved()).map((call) => [call.callId, call]));
      for (const callId of prepared.keys()) if (!reserved.has(callId)) drop(callId);
      for (const callId of taken) if (!reserved.has(callId)) taken.delete(callId);
      const ringing = [...reserved.values()].filter(
        ({ callId, rings }) => rings && !taken.has(callId) && !prepared.has(callId) && !isClosed,
      );
      for (const call of ringing) {
        const preparing = prepare(call).catch((error: unknown) => {
          args.log.warn({ err: error, call_id: call.callId }, 'a call could not be prepared');
          return null;
        });
        prepared.set(call.callId, preparing);
      }
      return ringing.length;
    },
    /** Returns a prepared call, and forgets it. Null if there is none. */
    async take(callId: string): Promise<PreparedCall | null> {
      taken.add(callId);
      const call = prepared.get(callId);
      prepared.delete(callId);
      return (await call) ?? null;
    },
    close() {
      isClosed = true;
      for (const callId of prepared.keys()) drop(callId);
    },
  };
}
