import type {
  CallList,
  CallReference,
  HangUpResult,
  PlaceCallRequest,
  PlaceResult,
  TelephonyProvider,
  WithdrawResult,
} from '@outdial/core';
import { retryAfterMs } from '../gateway/retry-after.ts';
import { callParameters } from './call-parameters.ts';
import { isNotFound, openTwilioClient, type Answer, type TwilioClient } from './client.ts';
import { meaningOf, type ConfigurationSide } from './error-codes.ts';
import { findUnnamedCall, type FindResult } from './find-unnamed-call.ts';
import { foundCall, withdrawalOf, type KnownCall } from './known-call.ts';
import { inboundTwiml, readInboundRequest } from './inbound.ts';
import { readCallback } from './read-callback.ts';
import { deleteTwilioRecording, findRecordingUrl, openTwilioRecording } from './recording.ts';
import type { TwilioSettings } from './settings.ts';
import { hasOwnVoice } from './telephony-config.ts';

/**
 * Calls over a Twilio account, through Twilio's SDK. docs/twilio.md describes the setup and the meaning of each answer.
 *
 * Twilio has no idempotency keys, so a broken request is never repeated here: the engine first looks the call up.
 */
export function createTwilio(settings: TwilioSettings): TelephonyProvider {
  const client = openTwilioClient(settings);
  /** The machine's clock, which is compared with Twilio's times. */
  const now = () => new Date();

  return {
    name: settings.name,
    idempotency: 'none',
    media: { text: true, secureOnly: true },
    async place(request, signal) {
      const parameters = callParameters(settings, request);
      if (parameters.kind === 'misconfigured') return parameters;
      if (parameters.kind === 'refused') {
        return { kind: 'refused', outcome: 'failed', externalStatus: parameters.externalStatus };
      }
      const answer = await client.ask((twilio) => twilio.calls.create(parameters.options), signal);
      return placed(answer, request, now());
    },
    async lookUp(call, signal) {
      const known = await findCall(client, settings, call, { now: now(), signal });
      if (known.kind !== 'known') return known;
      const hasEnded = known.call.status === 'completed';
      const found = hasEnded
        ? await findRecordingUrl(client, settings, known.call.sid, signal)
        : { kind: 'found' as const, url: null };
      return found.kind === 'found' ? foundCall(known.call, found.url, call.now) : found;
    },
    async hangUp(call, signal) {
      const known = await findCall(client, settings, call, { now: now(), signal });
      if (known.kind === 'unreachable') return known;
      // A call that Twilio does not have uses no line there.
      if (known.kind === 'unknown' || isOver(known.call)) return { kind: 'confirmed' };
      const { sid } = known.call;
      return hungUp(await client.ask((twilio) => twilio.calls(sid).update({ status: 'completed' }), signal));
    },
    withdraw: (call, signal) => withdraw(client, call, signal),
    listCalls: (since, signal) => listCalls(client, since, signal),
    deleteRecording: (call, signal) => deleteTwilioRecording(client, call, signal),
    openRecording: (call, signal) => openTwilioRecording(settings, call, signal),
    signatureHeaders: ['x-twilio-signature'],
    readEvent: (delivery) => readCallback(settings, delivery, now()),
    readInbound: (delivery) => readInboundRequest(settings, delivery, now()),
    answerInbound: inboundTwiml,
  };
}

const listedAtMost = 50_000;

async function listCalls(client: TwilioClient, since: Date, signal: AbortSignal): Promise<CallList> {
  const answer = await client.ask(
    (twilio) => twilio.calls.list({ startTimeAfter: since, limit: listedAtMost, pageSize: 1_000 }),
    signal,
  );
  if (answer.kind === 'refused') return { kind: 'unreachable', reason: `twilio_http_${answer.status}` };
  if (answer.kind !== 'ok') return { kind: 'unreachable', reason: answer.reason };
  if (answer.value.length === listedAtMost) {
    return { kind: 'unreachable', reason: `there are more than ${listedAtMost} calls; name a later instant` };
  }
  const calls = answer.value
    .filter((call) => call.direction === 'outbound-api')
    .map(({ sid, to, startTime }) => ({ conversationId: sid, callId: null, toPhone: to, at: startTime }));
  return { kind: 'listed', calls, areInProgress: false };
}

function placed(answer: Answer<KnownCall>, request: PlaceCallRequest, now: Date): PlaceResult {
  switch (answer.kind) {
    case 'ok':
      return callSid.test(answer.value.sid)
        ? { kind: 'accepted', conversationId: answer.value.sid }
        : notTwilio('no_call_sid');
    case 'not_connected':
      return { kind: 'unreachable', reason: answer.reason };
    case 'not_twilio':
      return notTwilio(answer.reason);
    case 'broken':
      return { kind: 'ambiguous', reason: answer.reason };
    case 'refused':
      return refused(answer, request, now);
  }
}

const callSid = /^CA[0-9a-f]{32}$/i;

/** A proxy may have passed the request on, so only a look-up can tell. */
function notTwilio(code: string): PlaceResult {
  const remedy =
    'the answer is not from Twilio, but perhaps the page of a proxy or of a sign-in: check the network between the workers and Twilio';
  return { kind: 'ambiguous', reason: code, fault: { code, remedy } };
}

function refused(
  { status, code, retryAfter }: Answer<KnownCall> & { kind: 'refused' },
  request: PlaceCallRequest,
  now: Date,
): PlaceResult {
  const reason = code === null ? `twilio_http_${status}` : `twilio_${code}`;
  const meaning = meaningOf(status, code);
  if (meaning === 'unknown') {
    return { kind: 'refused', outcome: 'failed', externalStatus: reason, isUnknownCode: true };
  }
  if (meaning !== 'unclear' && meaning.kind === 'outcome') {
    return { kind: 'refused', outcome: meaning.outcome, externalStatus: reason };
  }
  if (meaning !== 'unclear' && meaning.kind === 'misconfigured') {
    const of = isOfAgent(meaning.side, request) ? 'agent' : 'provider';
    return { kind: 'misconfigured', of, code: reason, remedy: meaning.remedy };
  }
  if (retryAfter !== undefined) {
    return { kind: 'defer', retryAfterMs: retryAfterMs(retryAfter, now), reason };
  }
  // Twilio failed, and may have dialed before. Only a look-up can tell.
  if (meaning === 'unclear') return { kind: 'ambiguous', reason };
  return { kind: 'defer', retryAfterMs: meaning.waitMs, reason };
}

/** Whether it comes from the agent, and not from the provider's row, that others use too. */
function isOfAgent(side: ConfigurationSide, { fromPhone, agent, mediaRuntime }: PlaceCallRequest): boolean {
  if (side === 'caller_id') return fromPhone !== null;
  return side === 'instructions' && !mediaRuntime && hasOwnVoice(agent.config);
}

/** Finds the call by Twilio's id if it is known, otherwise by its other properties. */
async function findCall(
  client: TwilioClient,
  settings: TwilioSettings,
  call: CallReference,
  { now, signal }: { now: Date; signal: AbortSignal },
): Promise<FindResult> {
  const { conversationId } = call;
  if (conversationId === null) return findUnnamedCall(client, settings, call, { now, signal });
  const answer = await client.ask((twilio) => twilio.calls(conversationId).fetch(), signal);
  if (answer.kind === 'ok' && !callSid.test(answer.value.sid)) {
    return { kind: 'unreachable', reason: 'no_call_sid' };
  }
  if (answer.kind === 'ok') return { kind: 'known', call: answer.value };
  if (isNotFound(answer)) return { kind: 'unknown' };
  return unreachable(answer);
}

function isOver({ status }: KnownCall): boolean {
  return status !== 'queued' && status !== 'ringing' && status !== 'in-progress';
}

function hungUp(answer: Answer<KnownCall>): HangUpResult {
  if (answer.kind === 'ok') return { kind: isOver(answer.value) ? 'confirmed' : 'requested' };
  // 21220: the call is no longer in progress.
  if (isNotFound(answer) || (answer.kind === 'refused' && answer.code === 21220)) {
    return { kind: 'confirmed' };
  }
  return unreachable(answer);
}

/** Cancels a queued call. Twilio ignores `canceled` for a call in progress. The answer tells whether the call was already dialed. */
async function withdraw(
  client: TwilioClient,
  call: CallReference,
  signal: AbortSignal,
): Promise<WithdrawResult> {
  const { conversationId } = call;
  if (conversationId === null) return { kind: 'unreachable', reason: 'its id at Twilio is unknown' };
  const answer = await client.ask(
    (twilio) => twilio.calls(conversationId).update({ status: 'canceled' }),
    signal,
  );
  if (answer.kind === 'ok') return withdrawalOf(answer.value);
  if (answer.kind !== 'refused' || answer.status >= 500 || answer.status === 429) return unreachable(answer);
  // Twilio refuses to cancel a call that is over, such as one that was already canceled.
  const known = await client.ask((twilio) => twilio.calls(conversationId).fetch(), signal);
  if (known.kind === 'ok') return withdrawalOf(known.value);
  return isNotFound(known) ? { kind: 'too_late' } : unreachable(known);
}

function unreachable(answer: Exclude<Answer<unknown>, { kind: 'ok' }>): {
  kind: 'unreachable';
  reason: string;
} {
  const reason =
    answer.kind === 'refused' ? `twilio_${answer.code ?? `http_${answer.status}`}` : answer.reason;
  return { kind: 'unreachable', reason };
}
