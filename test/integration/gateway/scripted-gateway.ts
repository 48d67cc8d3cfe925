import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { freePort } from '@outdial/local';
import { Webhook } from 'standardwebhooks';

export const secret = `whsec_${Buffer.from('a secret for tests of 32 bytes..').toString('base64')}`;
export const otherSecret = `whsec_${Buffer.from('another secret of 32 bytes......').toString('base64')}`;

export interface SeenRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string;
  /** Whether the signature is valid. Null if there is none. */
  signed: boolean | null;
}

export type Reply =
  | { status: number; headers?: Record<string, string>; body?: string | Buffer }
  /** Breaks the connection. */
  | 'break'
  /** Never answers. */
  | 'silence';

/** The answer to a request. A script may look at earlier requests. */
export type Script = (request: SeenRequest, seen: readonly SeenRequest[]) => Reply | Promise<Reply>;

/** A gateway with scripted answers, which records every request. */
export interface ScriptedGateway {
  url: string;
  seen: SeenRequest[];
  /** The ids of the requested calls, one per request. */
  placed(): string[];
  /** Takes effect from the next request on. */
  answer(script: Script): void;
  /** Stops listening, so that connections are refused. */
  stopListening(): Promise<void>;
  listenAgain(): Promise<void>;
  close(): Promise<void>;
}

export async function startScriptedGateway(script: Script): Promise<ScriptedGateway> {
  let current = script;
  const seen: SeenRequest[] = [];
  const webhook = new Webhook(secret);

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += String(chunk);
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    );
    const one: SeenRequest = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers,
      body,
      signed: isSigned(webhook, headers, body),
    };
    seen.push(one);
    const reply = await current(one, seen);
    if (reply === 'silence') return;
    if (reply === 'break') {
      request.socket.destroy();
      return;
    }
    response.writeHead(reply.status, reply.headers).end(reply.body ?? '{}');
  }

  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  const listen = (port: number) =>
    new Promise<void>((resolve) => server.listen(port, '127.0.0.1', () => resolve()));
  const stop = () => {
    const stopped = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    return stopped;
  };
  // Of those that no connection gets while it does not listen.
  const port = await freePort();
  await listen(port);
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    placed: () => seen.filter((one) => one.method === 'POST').map((one) => idOf(one)),
    answer: (next) => void (current = next),
    stopListening: stop,
    listenAgain: () => listen(port),
    close: () => (server.listening ? stop() : Promise.resolve()),
  };
}

function isSigned(webhook: Webhook, headers: Record<string, string>, body: string): boolean | null {
  if (headers['webhook-signature'] === undefined) return null;
  try {
    webhook.verify(body, headers, { jsonParse: false });
    return true;
  } catch {
    return false;
  }
}

/** The call id of a request. */
export function idOf(request: SeenRequest): string {
  return request.method === 'POST'
    ? (request.headers['idempotency-key'] ?? '')
    : (request.path.split('/').at(-1) ?? '');
}

export const json = (status: number, body: object, headers: Record<string, string> = {}): Reply => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});

/** Accepts every call, and answers look-ups of the calls that it has accepted. */
export const takesEverything: Script = (request, seen) => {
  const known = seen.filter((one) => one.method === 'POST' && idOf(one) === idOf(request));
  if (request.method === 'POST') {
    return json(known.length > 1 ? 409 : 201, { conversation_id: `c-${idOf(request)}` });
  }
  if (known.length === 0) return json(404, {});
  return request.method === 'DELETE' ? json(200, {}) : json(200, { state: 'accepted', data: {} });
};
