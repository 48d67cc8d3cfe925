import type { CallFact, ProviderListener } from '@outdial/core';
import { createAdoption } from './adoption.ts';
import { startRounds } from './rounds.ts';
import { createVanishedWatch } from './vanished.ts';
import type { AriClient } from './ari-client.ts';
import { ariEvent, eventTypes, type AriEvent } from './ari-events.ts';
import { createCallNotes } from './call-notes.ts';
import { channelState, isMachine, readEndRecord } from './end-record.ts';
import { openEventSocket, type EventSocket } from './event-socket.ts';
import { endedFact } from './facts.ts';
import { createHandOver } from './hand-over.ts';
import {
  callOfEndVariable,
  callOfMediaChannel,
  callOfRecording,
  isCallId,
  listeningChannelOf,
  newApplication,
  recordingUrlOf,
} from './names.ts';
import type { CallEnding } from './outcome.ts';
import type { RuntimeConnections } from './runtime-connections.ts';
import { createPresence } from './presence.ts';
import type { AsteriskSettings } from './settings.ts';
import { wipeEnd } from './wipe.ts';

/** One process's ear at one Asterisk: an ARI application of its own, and what follows from its events. */
export interface Session {
  readonly application: string;
  readonly socket: EventSocket;
  /** The call is about to be placed under this application. */
  expect(callId: string): void;
  /** Asterisk has taken it. */
  placed(callId: string): void;
  /** Resolves when nothing is open any more. */
  readonly over: Promise<void>;
}

/**
 * Every process hears of every call, so that none is forgotten whose process has died. The one that answers for a call tells at once; the
 * others wait for it, and tell only where they do not hear that it has.
 */
const othersTellAfterMs = 3_000;

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
  const handOver = createHandOver({ ari, connections, application, log });
  const presence = createPresence({
    ari,
    application,
    provider: settings.name,
    nowMs: () => performance.now(),
  });
  const adoption = createAdoption({
    ari,
    application,
    provider: settings.name,
    presence,
    notes,
    handOver,
    log,
  });
  const vanished = createVanishedWatch({
    ari,
    notes,
    onEnd: (callId, record) => ended(callId, record.at, record.ending),
    onUnknown: () => listener.eventsMissed(),
  });
  const rounds = startRounds({
    ari,
    log,
    isOpen: () => socket.isOpen(),
    async onPresent(present) {
      await presence.beat();
      await adoption.look(present);
      await vanished.look(present);
    },
  });

  /** Steps that follow from events are not waited for by the events that come after them. */
  function later(what: string, work: Promise<unknown>): void {
    work.catch((error: unknown) => log.warn({ err: error }, `${what} failed`));
  }

  function tell(callId: string, fact: CallFact): void {
    const note = notes.of(callId);
    if (note.owned) return later('telling what happened', listener.deliver(callId, fact));
    note.held.push(
      setTimeout(() => later('telling what happened', listener.deliver(callId, fact)), othersTellAfterMs),
    );
  }

  /** Once it is recorded, what the dialplan wrote down is wiped out, and by that the other processes know. */
  async function tellEnd(callId: string, at: Date, ending: CallEnding): Promise<void> {
    if (await listener.deliver(callId, endedFact(callId, at, ending))) await wipeEnd(ari, callId, ending);
  }

  function ended(callId: string, at: Date, ending: CallEnding): void {
    const note = notes.of(callId);
    if (note.ended) return;
    note.ended = true;
    notes.dropLater(callId);
    const whole = { ...ending, rang: ending.rang || note.rang };
    later('clearing up after a call', handOver.callGone(callId));
    if (note.owned) return later('telling an end', tellEnd(callId, at, whole));
    note.held.push(setTimeout(() => later('telling an end', tellEnd(callId, at, whole)), othersTellAfterMs));
  }

  function rings(callId: string, at: Date): void {
    const note = notes.of(callId);
    if (note.rang) return;
    note.rang = true;
    tell(callId, { kind: 'ringing', eventId: `${callId}:ringing`, at });
  }

  function onVariable(event: AriEvent & { type: 'ChannelVarset' }): void {
    const { variable, value, timestamp } = event;
    if (!event.channel) presence.heard(variable, value);
    const over = event.channel ? null : callOfEndVariable(variable);
    if (over !== null) {
      const record = readEndRecord(value);
      // Told once the channel is gone, and its line with it.
      if (record) notes.of(over).ending = record.ending;
      // Wiped out: whoever answered for the call has told its end.
      else if (value === '') notes.settle(over);
      return;
    }
    const id = event.channel?.id;
    if (id === undefined || !isCallId(id)) return;
    if (variable === 'OUTDIAL_APP') notes.of(id).owned = value === application;
    if (variable === 'AMDSTATUS' && isMachine(value))
      tell(id, { kind: 'machine', eventId: `${id}:machine`, at: timestamp, answeredBy: 'machine' });
  }

  function onCallEvent(callId: string, event: AriEvent): void {
    const at = event.timestamp;
    switch (event.type) {
      case 'ChannelStateChange': {
        if (event.channel.state === 'Ringing') rings(callId, at);
        if (event.channel.state === 'Up')
          tell(callId, { kind: 'answered', eventId: `${callId}:answered`, at });
        return;
      }
      case 'Dial':
        // The network plays the ringing itself; the channel's state does not show it.
        if (event.dialstatus === 'PROGRESS') rings(callId, at);
        return;
      case 'ChannelDtmfReceived': {
        if (!settings.keepsDigits) return;
        const eventId = `${callId}:dtmf:${at.toISOString()}`;
        return tell(callId, { kind: 'dtmf', eventId, at, digit: event.digit });
      }
      case 'StasisStart':
        notes.of(callId).owned = true;
        notes.of(callId).placed = true;
        return later('handing a call over', handOver.begin(callId, event.args[0]));
      case 'ChannelDestroyed':
        // The dialplan's word has come before, unless the dialplan is not there; it knows more.
        return ended(callId, at, notes.find(callId)?.ending ?? endingOf(event));
      default:
    }
  }

  function onEvent(event: AriEvent): void {
    if (event.type === 'ChannelVarset') return onVariable(event);
    if (event.type === 'RecordingFinished') {
      const callId = callOfRecording(event.recording.name);
      if (callId === null) return;
      const fact = { eventId: `${callId}:recording`, at: event.timestamp };
      return tell(callId, { kind: 'recording', recordingUrl: recordingUrlOf(callId), ...fact });
    }
    const { id } = event.type === 'Dial' ? event.peer : event.channel;
    if (isCallId(id)) return onCallEvent(id, event);
    if (event.type === 'StasisStart') {
      const recorded = id.slice(0, 36);
      if (id === listeningChannelOf(recorded)) later('recording a call', handOver.record(recorded));
      const joined = callOfMediaChannel(id);
      if (joined !== null) later('joining a call to its runtime', handOver.join(joined));
    }
    if (event.type === 'ChannelDestroyed') {
      const callId = callOfMediaChannel(id);
      if (callId !== null && notes.find(callId)?.owned)
        later('ending a call that its runtime left', handOver.mediaGone(callId));
    }
  }

  async function afterOpen(): Promise<void> {
    // Far more is told otherwise than anybody reads. Older versions cannot, and tell it all.
    await ari.ask({
      method: 'PUT',
      path: `/applications/${application}/eventFilter`,
      body: { allowed: eventTypes.map((type) => ({ type })) },
    });
    await rounds.runOnce();
    // Calls that ended unheard are nobody's to tell: the engine looks up what it takes for live.
    await listener.eventsMissed();
  }

  const address = new URL(`${settings.url.replace(/^http/, 'ws')}/ari/events`);
  address.searchParams.set('app', application);
  address.searchParams.set('subscribeAll', 'true');
  const { socket, over } = openEventSocket({
    url: address.href,
    headers: { authorization: ari.authorization },
    signal,
    onMessage(text) {
      const event = readEvent(text);
      if (event) onEvent(event);
    },
    onOpen() {
      log.info({ application }, 'listening to Asterisk');
      // It may be another than before: a restart forgets what was made known to it.
      connections.forget();
      later('putting calls right after a connection', afterOpen());
    },
    onTrouble: (reason) =>
      log.warn({ reason }, 'the event websocket of Asterisk is down; nothing is placed until it is up again'),
  });
  async function untilOver(): Promise<void> {
    await over;
    rounds.stop();
    notes.clear();
    await presence.leave();
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

/** Null for what is of no interest, and for what does not follow the form: a newer Asterisk may tell more. */
function readEvent(text: string): AriEvent | null {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return null;
  }
  const read = ariEvent.safeParse(json);
  return read.success ? read.data : null;
}

function endingOf({
  channel,
  cause,
  tech_cause: status,
}: AriEvent & { type: 'ChannelDestroyed' }): CallEnding {
  return {
    ...channelState(channel.state),
    cause,
    sipStatus: status !== undefined && status >= 300 ? status : null,
    machine: false,
    canceled: false,
    handOverFailed: false,
  };
}
