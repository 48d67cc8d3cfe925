import { createHash } from 'node:crypto';
import type { ProviderListener } from '@outdial/core';
import type { AriClient } from './ari-client.ts';
import { applications, channels, variable, type AriChannel } from './ari-events.ts';
import type { CallNotes } from './call-notes.ts';
import type { HandOver } from './hand-over.ts';
import { isApplicationOf, isCallId, mediaChannelOf } from './names.ts';

/** How soon a call gets another process when its own has died. Its dialplan waits for that for ten seconds. */
const everyMs = 2_000;

/** Takes over the running calls of processes that are gone. */
export interface Adoption {
  runOnce(): Promise<{ adopted: number }>;
  start(isOpen: () => boolean): { stop(): void };
}

/**
 * The variable `OUTDIAL_APP` of a channel says which process answers for it. Where that one's application is not registered any more,
 * exactly one of the others takes its place: all see the same list, and agree by it without a word.
 */
export function createAdoption(args: {
  ari: AriClient;
  application: string;
  /** The row of `providers`. */
  provider: string;
  notes: CallNotes;
  handOver: HandOver;
  log: ProviderListener['log'];
}): Adoption {
  const { ari, application, provider, notes, handOver, log } = args;
  /** The applications of calls, as far as they are known, so that they are asked for once. */
  let owners = new Map<string, string | null>();

  async function read(callId: string, name: string): Promise<string | null> {
    const path = `/channels/${callId}/variable`;
    const answer = await ari.ask({ method: 'GET', path, query: { variable: name } });
    const value = answer.kind === 'done' ? variable.safeParse(answer.body) : null;
    return value?.success ? value.data.value : null;
  }

  async function adopt(channel: AriChannel, hasMedia: boolean): Promise<void> {
    const callId = channel.id;
    notes.of(callId).owned = true;
    owners.set(callId, application);
    log.info({ call_id: callId }, 'a call whose process is gone is taken over');
    await ari.ask({
      method: 'POST',
      path: `/channels/${callId}/variable`,
      query: { variable: 'OUTDIAL_APP', value: application },
    });
    if (channel.dialplan?.app_name !== 'Stasis') return;
    if ((await read(callId, 'OUTDIAL_JOINED')) === '1') return handOver.adopt(callId, { hasMedia });
    // It waits in the application of the process that is gone: from here its hand-over begins anew.
    const appArgs = (await read(callId, 'OUTDIAL_HANDOVER')) ?? '';
    await ari.ask({
      method: 'POST',
      path: `/channels/${callId}/move`,
      query: { app: application, appArgs },
    });
  }

  async function runOnce(): Promise<{ adopted: number }> {
    const [apps, live] = await Promise.all([
      ari.ask({ method: 'GET', path: '/applications' }),
      ari.ask({ method: 'GET', path: '/channels' }),
    ]);
    const appsRead = apps.kind === 'done' ? applications.safeParse(apps.body) : null;
    const liveRead = live.kind === 'done' ? channels.safeParse(live.body) : null;
    if (!appsRead?.success || !liveRead?.success) return { adopted: 0 };
    const isOurs = (name: string) => isApplicationOf(provider, name);
    const registered = appsRead.data.map((app) => app.name).filter(isOurs);
    if (!registered.includes(application)) return { adopted: 0 };
    const ids = new Set(liveRead.data.map((channel) => channel.id));
    const before = owners;
    owners = new Map([...before].filter(([callId]) => ids.has(callId)));
    let adopted = 0;
    for (const channel of liveRead.data.filter(({ id }) => isCallId(id) && !notes.find(id)?.owned)) {
      let owner = owners.get(channel.id);
      // One that is gone may have been replaced by another process since.
      if (owner === undefined || (owner !== null && !registered.includes(owner)))
        owner = await read(channel.id, 'OUTDIAL_APP');
      owners.set(channel.id, owner);
      if (owner === null || !isOurs(owner) || registered.includes(owner)) continue;
      if (chooseHeir(channel.id, registered) !== application) continue;
      await adopt(channel, ids.has(mediaChannelOf(channel.id)));
      adopted += 1;
    }
    return { adopted };
  }

  return {
    runOnce,
    start(isOpen) {
      let running = false;
      const timer = setInterval(() => {
        if (running || !isOpen()) return;
        running = true;
        runOnce()
          .catch((error: unknown) => log.warn({ err: error }, 'looking for calls to take over failed'))
          .finally(() => {
            running = false;
          });
      }, everyMs);
      timer.unref();
      return { stop: () => clearInterval(timer) };
    },
  };
}

/** Rendezvous hashing: each call has an order of all processes, and the first that is there takes it. */
export function chooseHeir(callId: string, registered: readonly string[]): string | undefined {
  const weight = (name: string) => createHash('sha256').update(`${callId} ${name}`).digest('hex');
  return registered.toSorted((a, b) => (weight(a) < weight(b) ? -1 : 1))[0];
}
