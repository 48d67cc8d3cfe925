import type { CallEvent } from '@outdial/db';
import type { CallNote } from '../tools/index.ts';

/** Entries for the `events` of one call, in the order in which they came. */
export interface CallNotes {
  take(note: CallNote): void;
  all(): readonly CallEvent[];
}

const notesAtMost = 200;

export function collectNotes(): CallNotes {
  const notes: CallEvent[] = [];
  return {
    take(note) {
      if (notes.length < notesAtMost) notes.push({ at: new Date().toISOString(), ...note });
    },
    all: () => notes,
  };
}
