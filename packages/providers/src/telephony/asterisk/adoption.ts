import { createHash } from 'node:crypto';
import type { ProviderListener } from '@outdial/core';
import type { AriClient } from './ari-client.ts';
import type { AriChannel } from './ari-events.ts';
import type { CallNotes } from './call-notes.ts';
import type { MediaHandoff } from './media-handoff.ts';
import { aliveVariableOf, adopterVariableOf, isApplicationOf, isCallId, mediaChannelOf } from './names.ts';
import type { Heartbeat } from './heartbeat.ts';
import type { PolledState } from './poller.ts';
import { clearVariable, readVariable, setVariable } from './variables.ts';

/** Takes over the running calls of processes that are gone. */
export interface Adoption {
  look(present: PolledState): Promise<void>;
}

/**
 * The variable `OUTDIAL_APP` of a channel says which process answers for it. Where that one is not there any more,
 * exactly one of the others is its adopter: all see the same list, and agree by it without a word. The adopter names itself in a global
 * variable, since ARI sets none on a channel that still rings; the dialplan goes by that when it finds the old one gone.
 */
export function createAdoption(args: {
  ari: AriClient;
  application: string;
  /** The row of `providers`. */
  provider: string;
  heartbeat: Heartbeat;
  notes: CallNotes;
  mediaHandoff: MediaHandoff;
  log: ProviderListener['log'];
}): Adoption {
  const { ari, application, provider, heartbeat, notes, mediaHandoff, log } = args;
  /** The applications of calls, as far as they are known, so that they are asked for once. */
  let owners = new Map<string, string | null>();
  /** Calls that wait in this application without having been heard to come in: at once, their event is on the way. */
  let unheard = new Set<string>();

  async function inherit(gone: string): Promise<void> {
    await setVariable(ari, [adopterVariableOf(gone), application]);
    await clearVariable(ari, aliveVariableOf(gone));
  }

  async function adopt(channel: AriChannel, present: PolledState): Promise<void> {
    const callId = channel.id;
    const note = notes.of(callId);
    note.owned = true;
    note.placed = true;
    log.info({ call_id: callId }, 'a call whose process is gone is taken over');
    if (channel.dialplan?.app_name !== 'Stasis') return;
    if ((await readVariable(ari, 'OUTDIAL_JOINED', callId)) !== '1') return beginAnew(callId);
    const hasMedia = present.channels.some(({ id }) => id === mediaChannelOf(callId));
    return mediaHandoff.adopt(callId, { hasMedia });
  }

  /** It waits in an application that does nothing with it: by moving, it comes into this one as if it were new. */
  async function beginAnew(callId: string): Promise<void> {
    const appArgs = (await readVariable(ari, 'OUTDIAL_HANDOVER', callId)) ?? '';
    await ari.ask({
      method: 'POST',
      path: `/channels/${callId}/move`,
      query: { app: application, appArgs },
    });
  }

  async function adoptOrphans(present: PolledState, alive: readonly string[]): Promise<void> {
    const inherited = new Set<string>();
    const ids = new Set(present.channels.map((channel) => channel.id));
    owners = new Map([...owners].filter(([callId]) => ids.has(callId)));
    for (const channel of present.channels.filter(({ id }) => isCallId(id) && !notes.find(id)?.owned)) {
      let owner = owners.get(channel.id);
      // One that is gone may have been replaced by another process since.
      if (owner === undefined || (owner !== null && !alive.includes(owner))) {
        owner = await readVariable(ari, 'OUTDIAL_APP', channel.id);
      }
      owners.set(channel.id, owner);
      if (owner === null || !isApplicationOf(provider, owner) || alive.includes(owner)) continue;
      if (chooseAdopter(owner, alive) !== application) continue;
      if (!inherited.has(owner)) await inherit(owner);
      inherited.add(owner);
      await adopt(channel, present);
    }
  }

  async function beginUnheard(present: PolledState): Promise<void> {
    const before = unheard;
    unheard = new Set(
      present.channels
        .filter(({ id, dialplan }) => isCallId(id) && dialplan?.app_name === 'Stasis')
        .map(({ id }) => id)
        .filter((id) => notes.find(id)?.owned && !mediaHandoff.hasBegun(id)),
    );
    for (const callId of unheard) if (before.has(callId)) await beginAnew(callId);
  }

  return {
    async look(present) {
      if (!present.applications.includes(application)) return;
      await adoptOrphans(present, heartbeat.alive(present));
      await beginUnheard(present);
    },
  };
}

/** Rendezvous hashing: each application has an order of all the others, and the first that is there is its adopter. */
export function chooseAdopter(gone: string, alive: readonly string[]): string | undefined {
  const weight = (name: string) => createHash('sha256').update(`${gone} ${name}`).digest('hex');
  return alive.toSorted((a, b) => (weight(a) < weight(b) ? -1 : 1))[0];
}
