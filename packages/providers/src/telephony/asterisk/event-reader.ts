import type { AriEvent } from './ari-events.ts';
import type { CallNotes } from './call-notes.ts';
import { channelState, isMachine, readEndRecord } from './end-record.ts';
import { type Inbound, inboundMark } from './inbound.ts';
import type { MediaHandoff } from './media-handoff.ts';
import {
  callOfEndVariable,
  callOfMediaChannel,
  callOfRecording,
  callOfTransferChannel,
  isCallId,
  listeningChannelOf,
  recordingUrlOf,
} from './names.ts';
import type { CallEnding } from './outcome.ts';
import type { Heartbeat } from './heartbeat.ts';
import type { EventReporter } from './event-reporter.ts';

/** Acts on each event of an Asterisk: reports a fact, or takes a step to connect the call to its runtime. */
export function createEventReader(args: {
  application: string;
  keepsDigits: boolean;
  notes: CallNotes;
  eventReporter: EventReporter;
  mediaHandoff: MediaHandoff;
  inbound: Inbound;
  heartbeat: Heartbeat;
  /** Runs a step without waiting for it, and logs its failure. */
  inBackground: (what: string, work: Promise<unknown>) => void;
}): (event: AriEvent) => void {
  const { application, notes, eventReporter, mediaHandoff, heartbeat, inBackground } = args;

  function onVariable(event: AriEvent & { type: 'ChannelVarset' }): void {
    const { variable, value, timestamp } = event;
    if (!event.channel) heartbeat.heard(variable, value);
    const over = event.channel ? null : callOfEndVariable(variable);
    if (over !== null) {
      const record = readEndRecord(value);
      // The end is reported once the channel is gone, because only then the line is free.
      if (record) notes.of(over).ending = record.ending;
      // An empty value means that the owner has reported the end.
      else if (value === '') notes.settle(over);
      return;
    }
    const id = event.channel?.id;
    if (id === undefined || !isCallId(id)) return;
    if (variable === 'OUTDIAL_APP') notes.of(id).owned = value === application;
    if (variable === 'AMDSTATUS' && isMachine(value)) {
      eventReporter.report(id, {
        kind: 'machine',
        eventId: `${id}:machine`,
        at: timestamp,
        answeredBy: 'machine',
      });
    }
  }

  function onCallEvent(callId: string, event: AriEvent): void {
    const at = event.timestamp;
    switch (event.type) {
      case 'ChannelStateChange': {
        if (event.channel.state === 'Ringing') eventReporter.rings(callId, at);
        if (event.channel.state === 'Up') {
          eventReporter.report(callId, { kind: 'answered', eventId: `${callId}:answered`, at });
        }
        return;
      }
      case 'Dial':
        // The network plays the ringing tone itself, which the channel state does not show.
        if (event.dialstatus === 'PROGRESS') eventReporter.rings(callId, at);
        return;
      case 'ChannelDtmfReceived': {
        if (!args.keepsDigits) return;
        const eventId = `${callId}:dtmf:${at.toISOString()}`;
        return eventReporter.report(callId, { kind: 'dtmf', eventId, at, digit: event.digit });
      }
      case 'StasisStart':
        notes.of(callId).owned = true;
        notes.of(callId).placed = true;
        return inBackground('handing a call to its voice runtime', mediaHandoff.begin(callId, event.args[0]));
      case 'ChannelDestroyed':
        // The dialplan's end record has more detail, and came before this event if the dialplan is installed.
        return eventReporter.ended(callId, at, notes.find(callId)?.ending ?? endingOf(event));
      default:
    }
  }

  function onEvent(event: AriEvent): void {
    if (event.type === 'ChannelVarset') return onVariable(event);
    if (event.type === 'RecordingFinished') {
      const callId = callOfRecording(event.recording.name);
      if (callId === null) return;
      const fact = { eventId: `${callId}:recording`, at: event.timestamp };
      return eventReporter.report(callId, {
        kind: 'recording',
        recordingUrl: recordingUrlOf(callId),
        ...fact,
      });
    }
    const { id } = event.type === 'Dial' ? event.peer : event.channel;
    if (isCallId(id)) return onCallEvent(id, event);
    if (event.type === 'StasisStart' && event.args[0] === inboundMark) {
      return inBackground('answering an incoming call', args.inbound.begin(event.channel, event.args));
    }
    if (event.type === 'StasisStart') {
      const recorded = id.slice(0, 36);
      if (id === listeningChannelOf(recorded)) {
        inBackground('recording a call', mediaHandoff.record(recorded));
      }
      const joined = callOfMediaChannel(id);
      if (joined !== null) inBackground('joining a call to its runtime', mediaHandoff.join(joined));
    }
    if (event.type === 'ChannelDestroyed') {
      const callId = callOfMediaChannel(id);
      if (callId !== null && notes.find(callId)?.owned) {
        inBackground('ending a call whose runtime left', mediaHandoff.mediaGone(callId));
      }
      const transferred = callOfTransferChannel(id);
      if (transferred !== null && notes.find(transferred)?.owned) {
        inBackground('ending a call that was transferred', mediaHandoff.targetGone(transferred));
      }
    }
  }

  return onEvent;
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
    handoffFailed: false,
  };
}
