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
  adoptFrom(present: PolledState): Promise<void>;
}

/**
 * The channel variable `OUTDIAL_APP` names the application of the process that owns the call. If that process is gone, exactly one of the others
 * adopts its calls: all see the same list of applications and choose the same adopter. The adopter sets a global variable, because ARI cannot set a
 * variable on a channel that still rings. When the dialplan does not reach the old application, it reads the adopter from there.
 */
export function createAdoption(args: {
  ari: AriClient;
  application: string;
  /** The name of the row in `providers`. */
  provider: string;
  heartbeat: Heartbeat;
  notes: CallNotes;
  mediaHandoff: MediaHandoff;
  log: ProviderListener['log'];
}): Adoption {
  const { ari, application, provider, heartbeat, notes, mediaHandoff, log } = args;
  /** The known application of each call, so that Asterisk is asked only once. */
  let owners = new Map<string, string | null>();
  /** Calls in this application whose StasisStart has not come. At the first poll, the event may still be on its way. */
  let missingStarts = new Set<string>();

  async function announceAdopter(gone: string): Promise<void> {
    await setVariable(ari, [adopterVariableOf(gone), application]);
    await clearVariable(ari, aliveVariableOf(gone));
  }

  async function adopt(channel: AriChannel, present: PolledState): Promise<void> {
    const callId = channel.id;
    const note = notes.of(callId);
    note.owned = true;
    note.placed = true;
    log.info({ call_id: callId }, 'adopted the call of a process that is gone');
    if (channel.dialplan?.app_name !== 'Stasis') return;
    if ((await readVariable(ari, 'OUTDIAL_JOINED', callId)) !== '1') return enterAgain(callId);
    const hasMedia = present.channels.some(({ id }) => id === mediaChannelOf(callId));
    return mediaHandoff.adopt(callId, { hasMedia });
  }

  /** Moves a channel into this application, so that it gets a new StasisStart. */
  async function enterAgain(callId: string): Promise<void> {
    const appArgs = (await readVariable(ari, 'OUTDIAL_HANDOVER', callId)) ?? '';
    await ari.ask({
      method: 'POST',
      path: `/channels/${callId}/move`,
      query: { app: application, appArgs },
    });
  }

  async function adoptOrphans(present: PolledState, alive: readonly string[]): Promise<void> {
    const announced = new Set<string>();
    const ids = new Set(present.channels.map((channel) => channel.id));
    owners = new Map([...owners].filter(([callId]) => ids.has(callId)));
    for (const channel of present.channels.filter(({ id }) => isCallId(id) && !notes.find(id)?.owned)) {
      let owner = owners.get(channel.id);
      // The owner may have changed since: another process may have adopted the call.
      if (owner === undefined || (owner !== null && !alive.includes(owner))) {
        owner = await readVariable(ari, 'OUTDIAL_APP', channel.id);
      }
      owners.set(channel.id, owner);
      if (owner === null || !isApplicationOf(provider, owner) || alive.includes(owner)) continue;
      if (chooseAdopter(owner, alive) !== application) continue;
      if (!announced.has(owner)) await announceAdopter(owner);
      announced.add(owner);
      await adopt(channel, present);
    }
  }

  async function restartMissing(present: PolledState): Promise<void> {
    const before = missingStarts;
    missingStarts = new Set(
      present.channels
        .filter(({ id, dialplan }) => isCallId(id) && dialplan?.app_name === 'Stasis')
        .map(({ id }) => id)
        .filter((id) => notes.find(id)?.owned && !mediaHandoff.hasBegun(id)),
    );
    for (const callId of missingStarts) if (before.has(callId)) await enterAgain(callId);
  }

  return {
    async adoptFrom(present) {
      if (!present.applications.includes(application)) return;
      await adoptOrphans(present, heartbeat.alive(present));
      await restartMissing(present);
    },
  };
}

/** Chooses the adopter of an application by rendezvous hashing, so that all processes choose the same one. */
export function chooseAdopter(gone: string, alive: readonly string[]): string | undefined {
  const weight = (name: string) => createHash('sha256').update(`${gone} ${name}`).digest('hex');
  return alive.toSorted((a, b) => (weight(a) < weight(b) ? -1 : 1))[0];
}
