import type { CallFact, ProviderListener } from '@outdial/core';
import type { AriClient } from './ari-client.ts';
import type { CallNotes } from './call-notes.ts';
import { endedFact } from './facts.ts';
import type { CallEnding } from './outcome.ts';
import { clearEnd } from './variables.ts';

/** Reports call events to the engine. Leaves other processes to report the events of their own calls. */
export interface EventReporter {
  report(callId: string, fact: CallFact): void;
  rings(callId: string, at: Date): void;
  ended(callId: string, at: Date, ending: CallEnding): void;
}

/**
 * Every process receives the events of every call, so that no call is lost if its process dies. The owner reports at once. The others wait this long,
 * and report only if they have not noticed that the owner did.
 */
const othersReportAfterMs = 3_000;

export function createEventReporter(args: {
  ari: AriClient;
  notes: CallNotes;
  listener: ProviderListener;
  onEnded: (callId: string) => void;
}): EventReporter {
  const { ari, notes, listener } = args;

  function inTurn(callId: string, work: () => Promise<unknown>): void {
    const start = () =>
      void work().catch((error: unknown) =>
        listener.log.warn({ err: error, call_id: callId }, 'could not report a call event'),
      );
    const note = notes.of(callId);
    if (note.owned) start();
    else note.held.push(setTimeout(start, othersReportAfterMs));
  }

  /** Once the end is recorded, clears the dialplan's end record. This tells the other processes that it is recorded. */
  async function reportEnd(callId: string, at: Date, ending: CallEnding): Promise<void> {
    if (await listener.deliver(callId, endedFact(callId, at, ending))) await clearEnd(ari, callId, ending);
  }

  const report = (callId: string, fact: CallFact) => inTurn(callId, () => listener.deliver(callId, fact));

  return {
    report,
    rings(callId, at) {
      const note = notes.of(callId);
      if (note.rang) return;
      note.rang = true;
      report(callId, { kind: 'ringing', eventId: `${callId}:ringing`, at });
    },
    ended(callId, at, ending) {
      const note = notes.of(callId);
      if (note.ended) return;
      note.ended = true;
      notes.dropLater(callId);
      args.onEnded(callId);
      const whole = { ...ending, rang: ending.rang || note.rang };
      inTurn(callId, () => reportEnd(callId, at, whole));
    },
  };
}
