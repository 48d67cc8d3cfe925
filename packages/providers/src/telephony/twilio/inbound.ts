import {
  type EventDelivery,
  type InboundAnswer,
  type InboundReading,
  numberFromCarrier,
} from '@outdial/core';
import { z } from 'zod';
import { externalStatusOf, outcomeOf, type TwilioEnd } from './call-outcome.ts';
import { count, formOf, optional, searchOf, sentAt, sid, statusEventId } from './form.ts';
import { ownRuntimeTwiml } from './own-runtime.ts';
import { loadSdk } from './sdk.ts';
import type { TwilioSettings } from './settings.ts';

/** Below the address of an account's events: what its numbers name for "A call comes in" and for "Call status changes". */
export const inboundPath = '/inbound';

/** https://www.twilio.com/docs/voice/twiml#request-parameters, as it was on 22 November 2026. Only what is read is looked at. */
const request = z.object({
  CallSid: sid('CA'),
  AccountSid: z.string(),
  Direction: z.string(),
  CallStatus: z.string(),
  From: optional(z.string()),
  To: optional(z.string()),
  CallDuration: optional(count),
  SipResponseCode: optional(count),
  Timestamp: optional(z.string()),
});

/** Of a call for which instructions are asked. */
const beginnings: ReadonlySet<string> = new Set(['queued', 'ringing', 'in-progress']);
const ends = ['completed', 'busy', 'no-answer', 'failed', 'canceled'] as const;

/**
 * Reads what Twilio asks and tells about calls to a number of the account: a form, signed over the address and every field
 * (https://www.twilio.com/docs/usage/security). Calls that were dialed may be led here by instructions of an agent's own, so only those that
 * Twilio itself calls inbound count.
 */
export function readInboundRequest(
  settings: Pick<TwilioSettings, 'authToken' | 'accountSid' | 'eventsUrl'>,
  delivery: EventDelivery,
  now: Date,
): InboundReading {
  const signature = delivery.headers['x-twilio-signature'];
  if (signature === undefined) return { kind: 'unauthenticated', reason: 'no signature' };
  const form = formOf(delivery.body);
  const url = `${settings.eventsUrl}${inboundPath}${searchOf(delivery)}`;
  if (!loadSdk().validateRequest(settings.authToken, signature, url, form)) {
    return { kind: 'unauthenticated', reason: 'the signature is wrong' };
  }
  const read = request.safeParse(form);
  if (!read.success) return { kind: 'malformed', faults: read.error.issues };
  const { CallSid: conversationId, CallStatus: status } = read.data;
  if (read.data.AccountSid !== settings.accountSid) {
    return { kind: 'unauthenticated', reason: 'of another account' };
  }
  if (read.data.Direction !== 'inbound') return { kind: 'ignored', reason: 'not_inbound' };
  const toPhone = numberFromCarrier(read.data.To);
  const end = ends.find((each) => each === status);
  if (end === undefined) {
    if (!beginnings.has(status)) return { kind: 'ignored', reason: 'status' };
    return {
      kind: 'call',
      call: { conversationId, toPhone, fromPhone: numberFromCarrier(read.data.From) },
    };
  }
  if (toPhone === null) return { kind: 'ignored', reason: 'no_number' };
  const ended: TwilioEnd = {
    status: end,
    answeredBy: null,
    sipCode: read.data.SipResponseCode ?? null,
    errorCode: null,
  };
  return {
    kind: 'ended',
    toPhone,
    conversationId,
    fact: {
      kind: 'ended',
      eventId: statusEventId(conversationId, end),
      at: sentAt(read.data.Timestamp, now),
      outcome: outcomeOf(ended),
      details: {
        externalStatus: externalStatusOf(ended),
        durationSeconds: read.data.CallDuration ?? null,
      },
    },
  };
}

/** Twilio's instructions for the call. A rejected call is not answered, and costs nothing (https://www.twilio.com/docs/voice/twiml/reject). */
export function inboundTwiml(answer: InboundAnswer): { contentType: string; body: string } {
  return {
    contentType: 'text/xml',
    body: answer.kind === 'answered' ? ownRuntimeTwiml(answer.runtime) : rejection(answer),
  };
}

function rejection({ isUnknownNumber }: InboundAnswer & { kind: 'refused' }): string {
  const response = new (loadSdk().twiml.VoiceResponse)();
  response.reject({ reason: isUnknownNumber ? 'rejected' : 'busy' });
  return response.toString();
}
