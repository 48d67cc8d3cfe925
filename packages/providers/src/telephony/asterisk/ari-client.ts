import { parseJson } from '@outdial/core';
import { z } from 'zod';

/** The result of a request to ARI, as far as this side knows for certain. */
export type AriAnswer =
  | { kind: 'done'; status: number; body: unknown }
  /** ARI itself refused. Its answers are JSON; those of a proxy are not. */
  | { kind: 'refused'; status: number; message: string }
  /** The answer is not from ARI, but from Asterisk while it starts, or from a proxy. */
  | { kind: 'not_ari'; status: number }
  /** Not one byte was sent. */
  | { kind: 'not_connected'; reason: string }
  /** The request, or part of it, may have arrived. */
  | { kind: 'broken'; reason: string };

export interface AriRequest {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** The path below `/ari`, with every segment encoded. */
  path: string;
  query?: Record<string, string>;
  body?: unknown;
  signal?: AbortSignal | undefined;
}

export interface AriClient {
  ask(request: AriRequest): Promise<AriAnswer>;
  /** Returns the raw response, for content other than JSON. Rejects as `fetch` does. */
  open(path: string, signal: AbortSignal): Promise<Response>;
  readonly authorization: string;
}

/** Asterisk refuses connections beyond the `sessionlimit` of http.conf, by default 100 for all clients together. */
const requestsAtOnce = 16;
const answerWithinMs = 5_000;

const noTurn: AriAnswer = { kind: 'not_connected', reason: 'no turn in time' };

const refusal = z.looseObject({ message: z.string().optional(), error: z.string().optional() });

/** Error codes of Node and its fetch that mean that nothing was sent. */
const notConnectedCodes: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

export function createAriClient(host: { url: string; user: string; password: string }): AriClient {
  const authorization = `Basic ${Buffer.from(`${host.user}:${host.password}`).toString('base64')}`;
  let inFlight = 0;
  const waiting = new Set<() => void>();

  /** Resolves to true when it is this request's turn, or to false if its signal aborts first. */
  async function takeTurn(signal: AbortSignal | undefined): Promise<boolean> {
    if (signal?.aborted) return false;
    if (inFlight < requestsAtOnce) {
      inFlight += 1;
      return true;
    }
    return new Promise((resolve) => {
      const leave = () => {
        waiting.delete(take);
        resolve(false);
      };
      const take = () => {
        signal?.removeEventListener('abort', leave);
        resolve(true);
      };
      waiting.add(take);
      signal?.addEventListener('abort', leave, { once: true });
    });
  }

  function passTurn(): void {
    const [next] = waiting;
    if (next === undefined) {
      inFlight -= 1;
      return;
    }
    waiting.delete(next);
    next();
  }

  async function ask(request: AriRequest): Promise<AriAnswer> {
    // If Asterisk hangs, the requests ahead end only at their timeouts.
    if (!(await takeTurn(request.signal))) return noTurn;
    try {
      if (request.signal?.aborted) return noTurn;
      return await exchange(request);
    } finally {
      passTurn();
    }
  }

  async function exchange({ method, path, query, body, signal }: AriRequest): Promise<AriAnswer> {
    const limit = signal ?? AbortSignal.timeout(answerWithinMs);
    const url = new URL(`${host.url}/ari${path}`);
    for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, value);
    try {
      const response = await fetch(url, {
        method,
        redirect: 'manual',
        signal: limit,
        headers: { authorization, ...(body !== undefined && { 'content-type': 'application/json' }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return read(response.status, await response.text());
    } catch (error) {
      return failure(error);
    }
  }

  return {
    authorization,
    ask,
    open: (path, signal) => fetch(`${host.url}/ari${path}`, { headers: { authorization }, signal }),
  };
}

function read(status: number, text: string): AriAnswer {
  const body = text === '' ? null : parseJson(text);
  if (body === undefined) return { kind: 'not_ari', status };
  if (status >= 200 && status < 300) return { kind: 'done', status, body };
  const said = refusal.safeParse(body);
  if (!said.success) return { kind: 'not_ari', status };
  return { kind: 'refused', status, message: said.data.message ?? said.data.error ?? '' };
}

function failure(error: unknown): AriAnswer {
  // `fetch` wraps the connection's error. A name with several addresses yields one error for each.
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  const first: unknown = cause instanceof AggregateError ? (cause.errors[0] ?? cause) : cause;
  const code =
    typeof first === 'object' && first !== null && 'code' in first && typeof first.code === 'string'
      ? first.code
      : null;
  const reason = code ?? (first instanceof Error ? first.message : 'the request failed');
  if (code !== null && notConnectedCodes.has(code)) return { kind: 'not_connected', reason };
  return { kind: 'broken', reason };
}
