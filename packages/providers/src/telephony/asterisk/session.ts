import type { ProviderListener } from '@outdial/core';
import { createAdoption } from './adoption.ts';
import type { AriClient } from './ari-client.ts';
import { eventTypes, readEvent } from './ari-events.ts';
import { createCallNotes, type CallNotes } from './call-notes.ts';
import { createEventReader } from './event-reader.ts';
import { openEventSocket, type EventSocket } from './event-socket.ts';
import { createInbound } from './inbound.ts';
import { createMediaHandoff } from './media-handoff.ts';
import { createMediaWatch } from './media-watch.ts';
import { newApplication } from './names.ts';
import { createHeartbeat } from './heartbeat.ts';
import { startPoller, type PolledState } from './poller.ts';
import type { RuntimeConnections } from './runtime-connections.ts';
import type { AsteriskSettings } from './settings.ts';
import { createEventReporter } from './event-reporter.ts';
import type { EndRecord } from './end-record.ts';
import { readEnd } from './variables.ts';

/** One process's connection to one Asterisk: its own ARI application, and the handling of its events. */
export interface Session {
  readonly application: string;
  readonly socket: EventSocket;
  /** The call is about to be placed under this application. */
  expect(callId: string): void;
  /** Asterisk has accepted the call. */
  placed(callId: string): void;
  /** Resolves when nothing is open any more. */
  readonly over: Promise<void>;
}

export function openSession(args: {
  settings: AsteriskSettings;
  ari: AriClient;
  connections: RuntimeConnections;
  listener: ProviderListener;
  signal: AbortSignal;
}): Session {
  const { settings, ari, connections, listener, signal } = args;
  const { log } = listener;
  const application = newApplication(settings.name);
  const notes = createCallNotes();
  const mediaHandoff = createMediaHandoff({ ari, connections, application, log });
  const heartbeat = createHeartbeat({
    ari,
    application,
    provider: settings.name,
    answers: listener.inbound !== undefined,
    nowMs: () => performance.now(),
  });
  const adoption = createAdoption({
    ari,
    application,
    provider: settings.name,
    heartbeat,
    notes,
    mediaHandoff,
    log,
  });
  const eventReporter = createEventReporter({
    ari,
    notes,
    listener,
    onEnded: (callId) => inBackground('cleaning up after a call', mediaHandoff.callGone(callId)),
  });
  const inbound = createInbound({ ari, settings, connections, application, notes, listener });
  const onEvent = createEventReader({
    application,
    keepsDigits: settings.keepsDigits,
    notes,
    eventReporter,
    mediaHandoff,
    inbound,
    heartbeat,
    inBackground,
  });
  const vanished = createVanishedWatch({
    ari,
    notes,
    onEnd: (callId, record) => eventReporter.ended(callId, record.at, record.ending),
    onUnknown: () => listener.eventsMissed(),
  });
  const mediaWatch = createMediaWatch(mediaHandoff);
  const poller = startPoller({
    ari,
    log,
    isOpen: () => socket.isOpen(),
    async onPolled(present) {
      await heartbeat.beat();
      await adoption.adoptFrom(present);
      await vanished.check(present);
      await mediaWatch.check(present);
    },
    onSilence: () => socket.giveUp('Asterisk answers no requests'),
  });

  /** Runs a step without waiting for it, so that later events are not delayed. */
  function inBackground(what: string, work: Promise<unknown>): void {
    work.catch((error: unknown) => log.warn({ err: error }, `${what} failed`));
  }

  /**
   * Subscribes to the events of all channels, and to nothing else. `subscribeAll=true` would include device states: if the websocket closes while one of
   * them changes, Asterisk can hang forever (asterisk/asterisk, issue 2170).
   */
  async function subscribe(): Promise<string | null> {
    // Asterisk may have restarted, which removes the names that we configured.
    connections.forget();
    // Keeps Asterisk from sending the many events that we do not use. Older versions do not support it, and send all.
    await ari.ask({
      method: 'PUT',
      path: `/applications/${application}/eventFilter`,
      body: { allowed: eventTypes.map((type) => ({ type })) },
    });
    const answer = await ari.ask({
      method: 'POST',
      path: `/applications/${application}/subscription`,
      // Without an id, this means every channel.
      query: { eventSource: 'channel:' },
    });
    return answer.kind === 'done' ? null : 'Asterisk refused the subscription to channel events';
  }

  async function afterOpen(): Promise<void> {
    await poller.runOnce();
    // We missed the ends of calls while the socket was down, so the engine looks up all calls that it takes to be in progress.
    await listener.eventsMissed();
  }

  const address = new URL(`${settings.url.replace(/^http/, 'ws')}/ari/events`);
  address.searchParams.set('app', application);
  const { socket, over } = openEventSocket({
    url: address.href,
    headers: { authorization: ari.authorization },
    signal,
    onMessage(text) {
      const event = readEvent(text);
      if (event) onEvent(event);
    },
    prepare: subscribe,
    onOpen() {
      log.info({ application }, 'listening to Asterisk');
      inBackground('reconciling calls after a connection', afterOpen());
    },
    onTrouble: (reason) =>
      log.warn(
        { reason },
        'the event websocket of Asterisk is down; no calls are placed until it is up again',
      ),
  });
  async function untilOver(): Promise<void> {
    await over;
    poller.stop();
    notes.clear();
    await heartbeat.leave();
  }
  return {
    application,
    socket,
    expect(callId) {
      notes.of(callId).owned = true;
    },
    placed(callId) {
      const note = notes.find(callId);
      if (note) note.placed = true;
    },
    over: untilOver(),
  };
}

/**
 * Finds calls of this process whose channel is gone although no event reported it: the events were lost. Reports the dialplan's end record if there is one;
 * otherwise the engine looks the calls up.
 */
function createVanishedWatch(args: {
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
