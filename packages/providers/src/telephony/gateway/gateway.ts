import { randomUUID } from 'node:crypto';
import {
  type CallReference,
  type DeleteRecordingResult,
  type EventDelivery,
  type EventReading,
  findJsonFault,
  type HangUpResult,
  type LookUpResult,
  parseCleanJson,
  type PlaceResult,
  type TelephonyProvider,
  type PlaceCallRequest,
} from '@outdial/core';
import { context, propagation } from '@opentelemetry/api';
import { answerStatuses } from './answer-statuses.ts';
import {
  createHttpClient,
  type HttpClient,
  NoAnswerError,
  type OutgoingRequest,
  readAtMost,
} from '@outdial/runtime/http-client';
import {
  acceptedAnswer,
  callEvent,
  eventEnvelope,
  eventTypes,
  factOfEvent,
  factsOfLookUp,
  lookUpAnswer,
} from './protocol.ts';
import { openGatewayRecording } from './recording/open-recording.ts';
import { retryAfterMs } from './retry-after.ts';
import type { GatewaySettings } from './settings.ts';
import { secretId } from './secrets.ts';
import { createSigner } from './signature.ts';
import type { IncomingHttpHeaders } from 'node:http';

/** An answer holds a conversation id, or an ended call with its transcript. */
const answerBytesAtMost = 1024 * 1024;

/**
 * A voice runtime behind HTTP, as docs/provider-protocol.md describes it. Both directions are signed, with the time of the machine's clock, because the
 * gateway compares it with its own.
 */
export function createGateway(settings: GatewaySettings): TelephonyProvider {
  const signer = createSigner(settings.secrets);
  const client = createHttpClient({ publicOnly: false, idleConnectionsAtMost: 64 });
  const now = () => new Date();

  /** The signature does not cover the path, so the message id names the intent and the call. */
  function ask(
    method: 'GET' | 'DELETE',
    intent: 'look-up' | 'hang-up' | 'delete-recording',
    callId: string,
    signal: AbortSignal,
  ): Promise<Exchange> {
    const part = intent === 'delete-recording' ? '/recording' : '';
    const url = new URL(`${settings.url}/calls/${encodeURIComponent(callId)}${part}`);
    const headers = signer.sign(`${intent}_${callId}_${randomUUID()}`, '', now());
    return exchange(client, { method, url, headers, body: '', signal }, answerBytesAtMost);
  }

  return {
    name: settings.name,
    secretId: secretId(settings.secrets),
    idempotency: 'lasting',
    async place(request, signal) {
      const body = JSON.stringify(placeBody(request, settings.eventsUrl));
      // Sends `traceparent` if the call is traced, so that the gateway's spans can join the trace.
      const traced: Record<string, string> = {};
      propagation.inject(context.active(), traced);
      const sent = {
        method: 'POST' as const,
        url: new URL(`${settings.url}/calls`),
        headers: {
          ...traced,
          'content-type': 'application/json',
          'idempotency-key': request.callId,
          ...signer.sign(request.callId, body, now()),
        },
        body,
        signal,
      };
      return placed(await exchange(client, sent, answerBytesAtMost), now());
    },
    async lookUp(call, signal) {
      return found(await ask('GET', 'look-up', call.callId, signal), call);
    },
    async hangUp(call, signal) {
      return hungUp(await ask('DELETE', 'hang-up', call.callId, signal));
    },
    async deleteRecording(call, signal) {
      return recordingDeleted(await ask('DELETE', 'delete-recording', call.callId, signal));
    },
    openRecording: (call, signal) =>
      openGatewayRecording({ settings, call, signal, sign: (id) => signer.sign(id, '', now()) }),
    signatureHeaders: ['webhook-id', 'webhook-timestamp', 'webhook-signature'],
    readEvent(delivery) {
      const refusal = signer.refusal(delivery.headers, delivery.body);
      return refusal === null ? readEvent(delivery) : { kind: 'unauthenticated', reason: refusal };
    },
  };
}

/** Interprets the answer to `POST /calls` (docs/provider-protocol.md). */
function placed(exchange: Exchange, now: Date): PlaceResult {
  if (exchange.kind === 'not_connected') return { kind: 'unreachable', reason: exchange.reason };
  if (exchange.kind === 'broken') return { kind: 'ambiguous', reason: exchange.reason };
  const { status } = exchange;
  const code = `http_${status}`;
  // 409: the gateway already has this call, from a send whose answer was lost.
  if ((status >= 200 && status < 300) || status === 409) return accepted(exchange, code);
  const retryAfter = exchange.headers['retry-after'];
  // A 503 without Retry-After may come from a proxy, after the gateway got the request. Only a look-up can tell.
  if (status === 429 || (status === 503 && retryAfter !== undefined)) {
    return { kind: 'defer', retryAfterMs: retryAfterMs(retryAfter, now), reason: code };
  }
  const known = answerStatuses[status];
  if (known?.remedy != null) return { kind: 'misconfigured', of: 'provider', code, remedy: known.remedy };
  if (status >= 400 && status < 500) {
    const refused = { kind: 'refused', outcome: 'failed', externalStatus: code } as const;
    return known === undefined ? { ...refused, isUnknownCode: true } : refused;
  }
  if (status >= 300 && status < 400) return notTheGateway(code, redirected);
  return { kind: 'ambiguous', reason: code };
}

const redirected =
  'this address redirects, which is not followed: use the final address as the url (GATEWAY_URL)';
const notJson =
  'the answer is not the JSON of a gateway, but perhaps the page of a proxy or of a sign-in: check the url (GATEWAY_URL) and the network';
const wrongId = "the gateway's conversation_id must be text of at most 1000 characters: correct the gateway";

/** Nobody but the gateway can say that it has a call, and it does so with JSON, or without a body. */
function accepted(exchange: Exchange & { kind: 'answer' }, code: string): PlaceResult {
  // Too long, encoded or cut off.
  if (exchange.body === null) return { kind: 'ambiguous', reason: `${code} with a body that cannot be read` };
  if (exchange.body.trim() === '') return { kind: 'accepted', conversationId: null };
  const body = bodyOf(exchange);
  const answer = acceptedAnswer.safeParse(body);
  if (!answer.success) {
    const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
    return notTheGateway(code, isObject ? wrongId : notJson);
  }
  return { kind: 'accepted', conversationId: answer.data.conversation_id || null };
}

/** A proxy may have passed the request on, so only a look-up can tell. */
function notTheGateway(code: string, remedy: string): PlaceResult {
  return { kind: 'ambiguous', reason: code, fault: { code, remedy } };
}

function found(exchange: Exchange, call: CallReference): LookUpResult {
  if (exchange.kind !== 'answer') return { kind: 'unreachable', reason: exchange.reason };
  if (exchange.status === 404) return { kind: 'unknown' };
  if (exchange.status !== 200) return { kind: 'unreachable', reason: `http_${exchange.status}` };
  const answer = lookUpAnswer.safeParse(bodyOf(exchange));
  if (!answer.success) return { kind: 'unreachable', reason: 'an answer that does not follow the protocol' };
  return {
    kind: 'found',
    conversationId: answer.data.conversation_id ?? null,
    progress: factsOfLookUp(answer.data, call.now),
    nextChangeAt: null,
  };
}

function hungUp(exchange: Exchange): HangUpResult {
  if (exchange.kind !== 'answer') return { kind: 'unreachable', reason: exchange.reason };
  if (exchange.status === 202) return { kind: 'requested' };
  // A call that the gateway does not have, or no longer has, uses no line there.
  const { status } = exchange;
  if (status === 404 || status === 410) return { kind: 'confirmed' };
  if (status < 200 || status >= 300) return { kind: 'unreachable', reason: `http_${status}` };
  return isPage(exchange) ? pageInstead : { kind: 'confirmed' };
}

function recordingDeleted(exchange: Exchange): DeleteRecordingResult {
  if (exchange.kind !== 'answer') return { kind: 'unreachable', reason: exchange.reason };
  const { status } = exchange;
  const reason = `http_${status}`;
  if (isPage(exchange)) return pageInstead;
  // Gateways of an earlier protocol do not have this path. So a 404 does not prove that the recording is gone.
  if ((status >= 200 && status < 300) || status === 410) return { kind: 'deleted' };
  const isBusy = status === 408 || status === 429 || (status >= 500 && status !== 501);
  return { kind: isBusy ? 'unreachable' : 'refused', reason };
}

const pageInstead = { kind: 'unreachable', reason: 'an answer that is not JSON' } as const;

/** Whether a success has a body that is no JSON. The page of a proxy confirms nothing. */
function isPage(exchange: Exchange & { kind: 'answer' }): boolean {
  const { status, body } = exchange;
  if (status < 200 || status >= 300) return false;
  return body === null || (body.trim() !== '' && bodyOf(exchange) === undefined);
}

function bodyOf(exchange: Exchange & { kind: 'answer' }): unknown {
  return exchange.body === null ? undefined : parseCleanJson(exchange.body);
}

/** Reads an event whose signature was verified. */
function readEvent(delivery: EventDelivery): EventReading {
  const json = parseCleanJson(delivery.body);
  const lost = json === undefined ? null : findJsonFault(delivery.body);
  // A number that loses digits, such as costs with twenty, is no reason to lose the end of a call.
  if (lost?.kind === 'repeated_name') {
    const message = 'This name occurs twice in its object, so one of its values would be lost';
    return { kind: 'malformed', faults: [{ path: lost.path, message }] };
  }
  const envelope = eventEnvelope.safeParse(json);
  if (!envelope.success) return { kind: 'malformed', faults: envelope.error.issues };
  // A newer gateway may send events that this version does not know.
  if (!eventTypes.has(envelope.data.type)) return { kind: 'ignored', reason: 'unknown_type' };
  const event = callEvent.safeParse(json);
  if (!event.success) return { kind: 'malformed', faults: event.error.issues };
  return { kind: 'fact', callId: event.data.call_id, fact: factOfEvent(event.data) };
}

/** The result of a request, as far as this side knows for certain. */
type Exchange =
  /** `body` is null if it was too long, encoded or cut off; the status is valid anyway. */
  | { kind: 'answer'; status: number; headers: IncomingHttpHeaders; body: string | null }
  /** There was no connection, so not one byte of the request was sent. */
  | { kind: 'not_connected'; reason: string }
  /** The request, or part of it, may have arrived. */
  | { kind: 'broken'; reason: string };

async function exchange(
  client: HttpClient,
  request: OutgoingRequest,
  answerBytesAtMost: number,
): Promise<Exchange> {
  try {
    const headers = { ...request.headers, 'accept-encoding': 'identity' };
    const response = await client.send({ ...request, headers });
    const { text, isWhole } = await readAtMost(response, answerBytesAtMost);
    return {
      kind: 'answer',
      status: response.statusCode ?? 0,
      headers: response.headers,
      body: isWhole ? text : null,
    };
  } catch (error) {
    if (!(error instanceof NoAnswerError)) throw error;
    return { kind: error.mayHaveArrived ? 'broken' : 'not_connected', reason: error.message };
  }
}

/** The body of `POST {url}/calls`. Later versions may add fields, but never change the meaning of one. */
function placeBody(request: PlaceCallRequest, eventsUrl: string): object {
  const { knowledgeBase } = request;
  return {
    call_id: request.callId,
    organization_id: request.organizationId,
    agent_id: request.agentId,
    campaign_id: request.campaignId,
    attempt: request.attempt,
    to_phone: request.toPhone,
    from_phone: request.fromPhone,
    system_prompt: request.systemPrompt,
    prompt_params: request.promptParams,
    meta: request.meta,
    agent: request.agent,
    ring_timeout_seconds: request.ringTimeoutSeconds,
    max_call_seconds: request.maxCallSeconds,
    knowledge_base: knowledgeBase
      ? { ids: knowledgeBase.ids, search_url: knowledgeBase.searchUrl, token: knowledgeBase.token }
      : null,
    disclosure: request.disclosure ?? null,
    recording: request.recording ?? null,
    events_url: eventsUrl,
  };
}
