import type { AriClient } from './ari-client.ts';
import type { CallNotes } from './call-notes.ts';
import type { EndRecord } from './end-record.ts';
import type { PolledState } from './poller.ts';
import { readEnd } from './variables.ts';

/**
 * Finds calls of this process whose channel is gone although no event reported it: the events were lost. Reports the dialplan's end record if there is one;
 * otherwise the engine looks the calls up.
 */
export function createVanishedWatch(args: {
  ari: AriClient;
  notes: CallNotes;
  onEnd: (callId: string, record: EndRecord) => void;
  onUnknown: () => Promise<void>;
}): { check(present: PolledState): Promise<void> } {
  const { ari, notes } = args;
  /** Calls that were missing at the last poll. The event of their end may be on its way. */
  let missed = new Set<string>();

  return {
    async check(present) {
      const ids = new Set(present.channels.map((channel) => channel.id));
      const gone = notes.placed().filter((callId) => !ids.has(callId));
      const before = missed;
      missed = new Set(gone);
      let unknown = 0;
      for (const callId of gone.filter((id) => before.has(id))) {
        const record = await readEnd(ari, callId);
        // The event came during the request.
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
