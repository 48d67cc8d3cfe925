import type { CallEvent } from '@outdial/db';
import type { CallNote } from '../tools/index.ts';

const notesAtMost = 200;

export type CallNotes = ReturnType<typeof createCallNotes>;

/** Entries for the `events` of one call, in order. */
export function createCallNotes() {
  const notes: CallEvent[] = [];
  return {
    add(note: CallNote) {
      if (notes.length < notesAtMost) notes.push({ at: new Date().toISOString(), ...note });
    },
    all: (): readonly CallEvent[] => notes,
  };
}
