import type { CallFact, ProviderListener } from '@outdial/core';
import type { AriClient } from './ari-client.ts';
import type { CallNotes } from './call-notes.ts';
import { endedFact } from './facts.ts';
import type { CallEnding } from './outcome.ts';
import { wipeEnd } from './wipe.ts';

/** Tells the engine what happened to calls, and leaves to other processes what is theirs to tell. */
export interface Teller {
  tell(callId: string, fact: CallFact): void;
  rings(callId: string, at: Date): void;
  ended(callId: string, at: Date, ending: CallEnding): void;
}

/**
 * Every process hears of every call, so that none is forgotten whose process has died. The one that answers for a call tells at once; the
 * others wait for it, and tell only where they do not hear that it has.
 */
const othersTellAfterMs = 3_000;

export function createTeller(args: {
  ari: AriClient;
  notes: CallNotes;
  listener: ProviderListener;
  onEnded: (callId: string) => void;
}): Teller {
  const { ari, notes, listener } = args;

  function inTurn(callId: string, work: () => Promise<unknown>): void {
    const start = () =>
      void work().catch((error: unknown) =>
        listener.log.warn({ err: error, call_id: callId }, 'telling failed'),
      );
    const note = notes.of(callId);
    if (note.owned) start();
    else note.held.push(setTimeout(start, othersTellAfterMs));
  }

  /** Once it is recorded, what the dialplan wrote down is wiped out, and by that the other processes know. */
  async function tellEnd(callId: string, at: Date, ending: CallEnding): Promise<void> {
    if (await listener.deliver(callId, endedFact(callId, at, ending))) await wipeEnd(ari, callId, ending);
  }

  const tell = (callId: string, fact: CallFact) => inTurn(callId, () => listener.deliver(callId, fact));

  return {
    tell,
    rings(callId, at) {
      const note = notes.of(callId);
      if (note.rang) return;
      note.rang = true;
      tell(callId, { kind: 'ringing', eventId: `${callId}:ringing`, at });
    },
    ended(callId, at, ending) {
      const note = notes.of(callId);
      if (note.ended) return;
      note.ended = true;
      notes.dropLater(callId);
      args.onEnded(callId);
      const whole = { ...ending, rang: ending.rang || note.rang };
      inTurn(callId, () => tellEnd(callId, at, whole));
    },
  };
}
