import type { CallEnding } from './outcome.ts';

/** The notes of one process about calls in progress. They can be lost: Asterisk and the engine have the essential state. */
export interface CallNote {
  /** This process's application is the one that answers for the call. */
  owned: boolean;
  /** Asterisk has, or had, a channel for it. */
  placed: boolean;
  /** Its ringing was heard, also where the state of the channel does not show it (183). */
  rang: boolean;
  /** The dialplan's record of its end. */
  ending: CallEnding | null;
  ended: boolean;
  /** Facts of another process's call, which are told only if it does not. */
  held: NodeJS.Timeout[];
}

export interface CallNotes {
  of(callId: string): CallNote;
  find(callId: string): CallNote | undefined;
  /** Calls for which this process answers, and whose end it has not heard. */
  placed(): string[];
  /** Its held-back facts are never reported. */
  settle(callId: string): void;
  drop(callId: string): void;
  /** Forgets it once no event can come of it any more. */
  dropLater(callId: string): void;
  /** Forgets everything, and what was held is never told. */
  clear(): void;
}

/** A recording is closed after the call, and two processes may tell one end a few seconds apart. */
const dropAfterMs = 30_000;
/** Calls whose end was never heard: the oldest go. */
const notesAtMost = 50_000;

export function createCallNotes(): CallNotes {
  const notes = new Map<string, CallNote>();
  const settle = (callId: string) => {
    for (const timer of notes.get(callId)?.held.splice(0) ?? []) clearTimeout(timer);
  };
  const drop = (callId: string) => {
    settle(callId);
    notes.delete(callId);
  };
  return {
    of(callId) {
      const before = notes.get(callId);
      if (before) return before;
      const made: CallNote = {
        owned: false,
        placed: false,
        rang: false,
        ending: null,
        ended: false,
        held: [],
      };
      notes.set(callId, made);
      const [oldest] = notes.keys();
      if (notes.size > notesAtMost && oldest !== undefined) drop(oldest);
      return made;
    },
    find: (callId) => notes.get(callId),
    placed: () =>
      [...notes].filter(([, note]) => note.owned && note.placed && !note.ended).map(([callId]) => callId),
    settle,
    drop,
    dropLater: (callId) => void setTimeout(() => drop(callId), dropAfterMs).unref(),
    clear() {
      for (const callId of notes.keys()) drop(callId);
    },
  };
}
