import { parseJson } from '@outdial/core';
import type { Twilio } from 'twilio';
import type SdkRequestClient from 'twilio/lib/base/RequestClient.js';
import { loadSdk } from './sdk.ts';
import type { TwilioSettings } from './settings.ts';

/** Shorter than the engine waits for a send, so that the engine gets the result. */
const requestMs = 7_000;

/** The result of a request to Twilio. */
export type Answer<T> =
  | { kind: 'ok'; value: T }
  | { kind: 'refused'; status: number; code: number | null; retryAfter: string | undefined }
  /** A success that Twilio's API cannot have sent, such as the page of a proxy. */
  | { kind: 'not_twilio'; reason: string }
  /** There was no connection, so nothing was sent. */
  | { kind: 'not_connected'; reason: string }
  /** The request may have arrived. */
  | { kind: 'broken'; reason: string };

/** Whether Twilio does not know the resource. The 404 of a proxy has no code. */
export function isNotFound(answer: Answer<unknown>): boolean {
  return answer.kind === 'refused' && answer.status === 404 && answer.code === 20404;
}

export interface TwilioClient {
  ask<T>(question: (twilio: Twilio) => Promise<T>, signal: AbortSignal): Promise<Answer<T>>;
}

/** Carries `Retry-After`, because the SDK's own error drops the headers of an answer, and fails for one that is not JSON. */
class TwilioRefusalError extends Error {
  readonly status: number;
  readonly code: number | null;
  readonly retryAfter: string | undefined;

  constructor(status: number, code: number | null, retryAfter: string | undefined) {
    super(`Twilio answered ${status}`);
    this.name = 'TwilioRefusalError';
    this.status = status;
    this.code = code;
    this.retryAfter = retryAfter;
  }
}

class NotTwilioError extends Error {
  constructor(status: number) {
    super(`http_${status}`);
    this.name = 'NotTwilioError';
  }
}

/**
 * Twilio's SDK with a custom request client, which is its documented extension point. Each request has its own connection: if Twilio closed a kept
 * connection at that moment, the fate of the call would be unknown. The SDK does not retry.
 */
export function openTwilioClient(settings: TwilioSettings): TwilioClient {
  const sdk = loadSdk();
  const { accountSid, apiKey, authToken, apiUrl, region, edge } = settings;

  class RequestClient extends sdk.RequestClient {
    override async request<Data>(options: SdkRequestClient.RequestOptions<Data>) {
      const answer = await super.request<Data>({ ...options, uri: placeOf(options.uri, apiUrl) });
      const { statusCode: status } = answer;
      const body: unknown = answer.body;
      const isPage = typeof body === 'string' && body.trim() !== '' && parseJson(body) === undefined;
      if (status === 429 || status === 503 || (isPage && status >= 400)) {
        throw new TwilioRefusalError(status, codeOf(body), retryAfterOf(answer.headers));
      }
      if (isPage) throw new NotTwilioError(status);
      return answer;
    }
  }

  const twilio = sdk(apiKey?.sid ?? accountSid, apiKey?.secret ?? authToken, {
    accountSid,
    // Otherwise the SDK's own environment variable could make it log requests, with phone numbers.
    logLevel: 'none',
    httpClient: new RequestClient({ timeout: requestMs, keepAlive: false, maxSockets: 50 }),
    ...(region !== null && { region }),
    ...(edge !== null && { edge }),
  });

  return {
    async ask(question, signal) {
      let onAbort: (() => void) | undefined;
      const aborted = new Promise<never>((_resolve, reject) => {
        onAbort = () => reject(new Error('no answer in time'));
        if (signal.aborted) onAbort();
        else signal.addEventListener('abort', onAbort, { once: true });
      });
      try {
        return { kind: 'ok', value: await Promise.race([question(twilio), aborted]) };
      } catch (error) {
        return failed(error);
      } finally {
        if (onAbort) signal.removeEventListener('abort', onAbort);
      }
    },
  };
}

/** The address of a request. Tests send it to another host. */
function placeOf(uri: string, apiUrl: string | null): string {
  if (apiUrl === null) return uri;
  const { pathname, search } = new URL(uri);
  return `${apiUrl}${pathname}${search}`;
}

/** Error codes of connections that failed: DNS, routing, refusal or TLS. */
const neverConnected =
  /^(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ERR_TLS_\w+|CERT_\w+|\w*SELF_SIGNED\w*|UNABLE_TO_\w+)$/;

function failed(error: unknown): Answer<never> {
  if (!(error instanceof Error)) return { kind: 'broken', reason: 'the request failed' };
  if (error instanceof NotTwilioError) return { kind: 'not_twilio', reason: error.message };
  if (error instanceof TwilioRefusalError) {
    const { status, code, retryAfter } = error;
    return { kind: 'refused', status, code, retryAfter };
  }
  if ('status' in error && typeof error.status === 'number') {
    const code = 'code' in error && typeof error.code === 'number' ? error.code : null;
    return { kind: 'refused', status: error.status, code, retryAfter: undefined };
  }
  const code = 'code' in error && typeof error.code === 'string' ? error.code : null;
  const reason = code ?? error.message;
  return code !== null && neverConnected.test(code)
    ? { kind: 'not_connected', reason }
    : { kind: 'broken', reason };
}

function codeOf(body: unknown): number | null {
  const json = typeof body === 'string' ? parseJson(body) : body;
  if (typeof json !== 'object' || json === null || !('code' in json)) return null;
  return typeof json.code === 'number' ? json.code : null;
}

function retryAfterOf(headers: unknown): string | undefined {
  if (typeof headers !== 'object' || headers === null || !('retry-after' in headers)) return undefined;
  const value = headers['retry-after'];
  return typeof value === 'string' ? value : undefined;
}
