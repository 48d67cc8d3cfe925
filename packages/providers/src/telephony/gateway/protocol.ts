import { outcomes, type CallFact } from '@outdial/core';
import { z } from 'zod';

/** The messages of a gateway, as docs/provider-protocol.md describes them. Unknown fields are ignored. */

const webUrl = z.url({ protocol: /^https?$/ }).max(4_096);

const endData = z.object({
  outcome: z.enum(outcomes),
  /** Seconds of conversation. */
  duration: z.number().min(0).max(10_000_000).nullish(),
  cost: z.number().min(0).max(9_999_999).nullish(),
  transcript: z.string().nullish(),
  recording_url: webUrl.nullish(),
  call_extract: z.record(z.string(), z.unknown()).nullish(),
  external_status: z.string().max(1_000).nullish(),
});

export const acceptedAnswer = z.object({ conversation_id: z.string().max(1_000).nullish() });

const lookUpFields = {
  conversation_id: z.string().max(1_000).nullish(),
  /** When the state began. If absent, it counts as having begun now. */
  occurred_at: z.iso.datetime({ offset: true }).optional(),
};
export const lookUpAnswer = z.discriminatedUnion('state', [
  z.object({ state: z.enum(['accepted', 'ringing', 'answered']), ...lookUpFields }),
  z.object({ state: z.literal('ended'), data: endData, ...lookUpFields }),
]);

/** The fields of every event. */
export const eventEnvelope = z.object({
  event_id: z.string().min(1).max(200),
  type: z.string().min(1).max(200),
  call_id: z.string().min(1).max(200),
});

const eventFields = {
  event_id: z.string(),
  call_id: z.string(),
  occurred_at: z.iso.datetime({ offset: true }),
};
export const callEvent = z.discriminatedUnion('type', [
  z.object({
    type: z.enum(['call.ringing', 'call.answered', 'call.disclosed', 'call.connected', 'call.abandoned']),
    ...eventFields,
  }),
  z.object({ type: z.literal('call.ended'), data: endData, ...eventFields }),
  z.object({
    type: z.literal('call.transcript'),
    data: z.object({ transcript: z.string() }),
    ...eventFields,
  }),
  z.object({ type: z.literal('call.recording'), data: z.object({ recording_url: webUrl }), ...eventFields }),
  z.object({
    type: z.literal('call.opt_out'),
    data: z.object({ by: z.enum(['key', 'speech', 'message']) }),
    ...eventFields,
  }),
  z.object({
    type: z.literal('call.dtmf'),
    data: z.object({ digit: z.string().regex(/^[0-9A-D*#]$/) }),
    ...eventFields,
  }),
]);

export const eventTypes: ReadonlySet<string> = new Set([
  'call.ringing',
  'call.answered',
  'call.ended',
  'call.transcript',
  'call.recording',
  'call.opt_out',
  'call.dtmf',
  'call.disclosed',
  'call.connected',
  'call.abandoned',
]);

export function factOfEvent(event: z.output<typeof callEvent>): CallFact {
  const when = { eventId: event.event_id, at: new Date(event.occurred_at) };
  switch (event.type) {
    case 'call.ringing':
      return { kind: 'ringing', ...when };
    case 'call.answered':
      return { kind: 'answered', ...when };
    case 'call.ended':
      return endOf(event.data, when);
    case 'call.transcript':
      return { kind: 'transcript', transcript: event.data.transcript, ...when };
    case 'call.disclosed':
      return { kind: 'disclosed', ...when };
    case 'call.connected':
      return { kind: 'connected', ...when };
    case 'call.abandoned':
      return { kind: 'abandoned', ...when };
    case 'call.opt_out':
      return { kind: 'opt_out', by: event.data.by, ...when };
    case 'call.dtmf':
      return { kind: 'dtmf', digit: event.data.digit, ...when };
    default:
      return { kind: 'recording', recordingUrl: event.data.recording_url, ...when };
  }
}

/** The facts in the answer to a look-up. A call that was only accepted has none yet. */
export function factsOfLookUp(answer: z.output<typeof lookUpAnswer>, now: Date): CallFact[] {
  const at = answer.occurred_at === undefined ? now : new Date(answer.occurred_at);
  const when = { eventId: null, at };
  switch (answer.state) {
    case 'accepted':
      return [];
    case 'ringing':
    case 'answered':
      return [{ kind: answer.state, ...when }];
    default:
      return [endOf(answer.data, when)];
  }
}

function endOf(data: z.output<typeof endData>, when: { eventId: string | null; at: Date }): CallFact {
  return {
    kind: 'ended',
    ...when,
    outcome: data.outcome,
    details: {
      durationSeconds: data.duration == null ? null : Math.round(data.duration),
      cost: data.cost ?? null,
      transcript: data.transcript ?? null,
      recordingUrl: data.recording_url ?? null,
      callExtract: data.call_extract ?? null,
      externalStatus: data.external_status ?? null,
    },
  };
}
