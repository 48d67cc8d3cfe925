import type { AriClient } from './ari-client.ts';
import type { CallNotes } from './call-notes.ts';
import type { EndRecord } from './end-record.ts';
import type { PolledState } from './poller.ts';
import { readEnd } from './variables.ts';

/**
 * Finds calls of this process that are gone without a word: their events were lost. The dialplan's notes are reported; of the
 * others the engine is left to find out what it can.
 */
export function createVanishedWatch(args: {
  ari: AriClient;
  notes: CallNotes;
  onEnd: (callId: string, record: EndRecord) => void;
  onUnknown: () => Promise<void>;
}): { look(present: PolledState): Promise<void> } {
  const { ari, notes } = args;
  /** Missed once: the event of its end may be on the way. */
  let missed = new Set<string>();

  return {
    async look(present) {
      const ids = new Set(present.channels.map((channel) => channel.id));
      const gone = notes.placed().filter((callId) => !ids.has(callId));
      const before = missed;
      missed = new Set(gone);
      let unknown = 0;
      for (const callId of gone.filter((id) => before.has(id))) {
        const record = await readEnd(ari, callId);
        // Its event came while the question was on the way.
        if (notes.find(callId)?.ended !== false) continue;
        if (record) args.onEnd(callId, record);
        else {
          unknown += 1;
          notes.drop(callId);
        }
      }
      if (unknown > 0) await args.onUnknown();
    },
  };
}
