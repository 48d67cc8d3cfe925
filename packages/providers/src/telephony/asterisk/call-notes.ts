import type { CallEnding } from './outcome.ts';

/** The notes of one process about a call in progress. They may be lost: Asterisk and the engine have the essential state. */
export interface CallNote {
  /** This process owns the call. */
  owned: boolean;
  /** Asterisk has, or had, a channel for the call. */
  placed: boolean;
  /** The call rang, even if the channel state does not show it (183). */
  rang: boolean;
  /** The dialplan's end record. */
  ending: CallEnding | null;
  ended: boolean;
  /** Timers of facts about another process's call. They are reported only if that process does not report them. */
  held: NodeJS.Timeout[];
}

export interface CallNotes {
  of(callId: string): CallNote;
  find(callId: string): CallNote | undefined;
  /** Calls that this process owns and whose end it has not received. */
  placed(): string[];
  /** Cancels the held facts of a call. */
  settle(callId: string): void;
  drop(callId: string): void;
  /** Forgets a call once no more events of it can come. */
  dropLater(callId: string): void;
  /** Forgets all calls and cancels their held facts. */
  clear(): void;
}

/** Asterisk closes the recording after the call ends, and two processes may report one end a few seconds apart. */
const dropAfterMs = 30_000;
/** Bounds the memory that calls take whose end never came. The oldest are dropped. */
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
