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

/** The path below the account's events URL that its numbers name for "A call comes in" and "Call status changes". */
export const inboundPath = '/inbound';

/** https://www.twilio.com/docs/voice/twiml#request-parameters, as of 22 November 2026. Fields that we do not use are left out. */
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

/** The statuses of a call for which Twilio asks for instructions. */
const beginnings: ReadonlySet<string> = new Set(['queued', 'ringing', 'in-progress']);
const ends = ['completed', 'busy', 'no-answer', 'failed', 'canceled'] as const;

/**
 * Reads Twilio's requests about calls to a number of the account: a form, signed over the address and every field
 * (https://www.twilio.com/docs/usage/security). An agent's own instructions could send an outbound call here, so only calls that Twilio itself reports
 * as inbound count.
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
