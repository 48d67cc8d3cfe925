import type { MediaHandoff } from './media-handoff.ts';
import { mediaChannelOf, transferChannelOf } from './names.ts';
import type { PolledState } from './poller.ts';

/**
 * Finds people who are alone in their bridge: the runtime has hung up, nobody took the call from it, and the event was lost, or the request that should have
 * ended the call.
 */
export function createMediaWatch({ joined, mediaGone }: Pick<MediaHandoff, 'joined' | 'mediaGone'>): {
  check(present: PolledState): Promise<void>;
} {
  /** Calls that were so at the last poll. The event may be on its way. */
  let alone = new Set<string>();

  return {
    async check({ channels }) {
      const ids = new Set(channels.map(({ id }) => id));
      const before = alone;
      alone = new Set(
        joined().filter(
          (id) => ids.has(id) && !ids.has(mediaChannelOf(id)) && !ids.has(transferChannelOf(id)),
        ),
      );
      for (const callId of alone) if (before.has(callId)) await mediaGone(callId);
    },
  };
}
