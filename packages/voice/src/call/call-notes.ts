import type { CallEvent } from '@outdial/db';
import type { CallNote } from '../tools/index.ts';

/** Entries for the `events` of one call, in order. */
export interface CallNotes {
  add(note: CallNote): void;
  all(): readonly CallEvent[];
}

const notesAtMost = 200;

export function createCallNotes(): CallNotes {
  const notes: CallEvent[] = [];
  return {
    add(note) {
      if (notes.length < notesAtMost) notes.push({ at: new Date().toISOString(), ...note });
    },
    all: () => notes,
  };
}
