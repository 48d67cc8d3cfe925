import type { CallFact, EventDelivery, EventReading } from '@outdial/core';
import { z } from 'zod';
import { externalStatusOf, faultOf, isMachine, outcomeOf, type TwilioEnd } from './call-outcome.ts';
import { deliveryOverrides, isOwnAddress } from './callback-url.ts';
import { count, type Form, formOf, optional, searchOf, sentAt, sid, statusEventId } from './form.ts';
import { loadSdk } from './sdk.ts';
import type { TwilioSettings } from './settings.ts';

const query = z.object({
  topic: z.enum(['status', 'machine', 'recording']),
  call_id: z.uuid(),
  hang_up: z.literal('1').optional(),
  key: z.string(),
});

const common = z.object({ CallSid: sid('CA') });

const statusCallback = common.extend({
  CallStatus: z.enum([
    'queued',
    'initiated',
    'ringing',
    'in-progress',
    'completed',
    'busy',
    'no-answer',
    'failed',
    'canceled',
  ]),
  Timestamp: optional(z.string()),
  CallDuration: optional(count),
  SipResponseCode: optional(count),
  ErrorCode: optional(count),
  AnsweredBy: optional(z.string()),
  RecordingUrl: optional(z.url()),
});

const machineCallback = common.extend({ AnsweredBy: z.string() });

const recordingCallback = common.extend({
  RecordingSid: sid('RE'),
  RecordingStatus: optional(z.string()),
  RecordingUrl: z.url(),
});

/**
 * Reads a callback of Twilio: a form, signed over the URL that Twilio was given and every field of the form
 * (https://www.twilio.com/docs/usage/security). The signature is verified before anything else is read.
 */
export function readCallback(
  settings: Pick<TwilioSettings, 'authToken' | 'eventsUrl'>,
  delivery: EventDelivery,
  now: Date,
): EventReading {
  const form = formOf(delivery.body);
  const search = searchOf(delivery);
  const signature = delivery.headers['x-twilio-signature'];
  if (signature === undefined) return { kind: 'unauthenticated', reason: 'no signature' };
  if (!isSigned(settings, signature, search, form)) {
    return { kind: 'unauthenticated', reason: 'the signature is wrong' };
  }
  const addressed = query.safeParse(Object.fromEntries(new URLSearchParams(search)));
  if (!addressed.success) return { kind: 'malformed', faults: addressed.error.issues };
  const { topic, call_id: callId, key } = addressed.data;
  const hangsUp = addressed.data.hang_up === '1';
  if (!isOwnAddress(settings.authToken, { topic, callId, hangsUp }, key)) {
    return { kind: 'unauthenticated', reason: 'the address was not made here' };
  }
  switch (topic) {
    case 'status':
      return readStatus(form, callId, now);
    case 'machine':
      return readMachine(form, callId, { now, hangsUp });
    case 'recording':
      return readRecording(form, callId, now);
  }
}

/** Twilio drops the fragment from the URL that it requests. A signature over the URL with the fragment is accepted as well. */
function isSigned(
  { authToken, eventsUrl }: Pick<TwilioSettings, 'authToken' | 'eventsUrl'>,
  signature: string,
  search: string,
  form: Form,
): boolean {
  const { validateRequest } = loadSdk();
  return [search, `${search}${deliveryOverrides}`].some((rest) =>
    validateRequest(authToken, signature, `${eventsUrl}${rest}`, form),
  );
}

function readStatus(form: Form, callId: string, now: Date): EventReading {
  const read = statusCallback.safeParse(form);
  if (!read.success) return { kind: 'malformed', faults: read.error.issues };
  const { CallSid: conversationId, CallStatus: status, Timestamp: timestamp } = read.data;
  const told = { eventId: statusEventId(conversationId, status), at: sentAt(timestamp, now) };
  const fact = (of: CallFact): EventReading => ({ kind: 'fact', callId, conversationId, fact: of });
  switch (status) {
    case 'queued':
    case 'initiated':
      return { kind: 'accepted', callId, conversationId, lookUp: false };
    case 'ringing':
      return fact({ ...told, kind: 'ringing' });
    case 'in-progress':
      return fact({ ...told, kind: 'answered' });
    // Only the Call resource tells whether the call was dialed before it was canceled.
    case 'canceled':
      return { kind: 'accepted', callId, conversationId, lookUp: true };
    case 'completed':
    case 'busy':
    case 'no-answer':
    case 'failed': {
      const end: TwilioEnd = {
        status,
        answeredBy: read.data.AnsweredBy ?? null,
        sipCode: read.data.SipResponseCode ?? null,
        errorCode: read.data.ErrorCode ?? null,
      };
      const fault = faultOf(end);
      return fact({
        ...told,
        kind: 'ended',
        outcome: outcomeOf(end),
        ...(fault && { fault }),
        details: {
          externalStatus: externalStatusOf(end),
          durationSeconds: read.data.CallDuration ?? null,
          recordingUrl: read.data.RecordingUrl ?? null,
        },
      });
    }
  }
}

function readMachine(
  form: Form,
  callId: string,
  { now, hangsUp }: { now: Date; hangsUp: boolean },
): EventReading {
  const read = machineCallback.safeParse(form);
  if (!read.success) return { kind: 'malformed', faults: read.error.issues };
  const { CallSid: conversationId, AnsweredBy: answeredBy } = read.data;
  if (!isMachine(answeredBy)) return { kind: 'ignored', reason: `answered_by_${answeredBy.slice(0, 30)}` };
  return {
    kind: 'fact',
    callId,
    conversationId,
    hangUp: hangsUp,
    fact: { kind: 'machine', eventId: statusEventId(conversationId, 'machine'), at: now, answeredBy },
  };
}

function readRecording(form: Form, callId: string, now: Date): EventReading {
  const read = recordingCallback.safeParse(form);
  if (!read.success) return { kind: 'malformed', faults: read.error.issues };
  const { CallSid: conversationId, RecordingSid, RecordingStatus, RecordingUrl: recordingUrl } = read.data;
  if (RecordingStatus !== undefined && RecordingStatus !== 'completed') {
    return { kind: 'ignored', reason: `recording_${RecordingStatus.slice(0, 30)}` };
  }
  return {
    kind: 'fact',
    callId,
    conversationId,
    fact: { kind: 'recording', eventId: statusEventId(conversationId, RecordingSid), at: now, recordingUrl },
  };
}
