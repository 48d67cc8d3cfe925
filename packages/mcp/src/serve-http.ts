import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { createOutdialClient, OutdialError } from '@outdial/client';
import { createHttpServer } from '@outdial/runtime/http-server';
import { readJsonBody } from '@outdial/runtime/json-body';
import { createMcpServer, type McpOptions } from './create-server.ts';
import { createRequestSlots, type RequestSlot } from './request-slots.ts';

export interface HttpOptions extends McpOptions, GuardOptions {
  /** The address of the api. */
  baseUrl: string;
  host: string;
  port: number;
}

export interface HttpServer {
  /** The path of MCP. */
  url: string;
  close(): Promise<void>;
}

const bodyAtMost = 2 * 1024 * 1024;

/** Serves MCP over Streamable HTTP without sessions: each request carries the caller's own credential, so callers have the same rights as at the api. */
export async function serveHttp(options: HttpOptions): Promise<HttpServer> {
  const slots = createRequestSlots();
  const server = createHttpServer((request, response) => {
    const slot = slots.take(request.socket.remoteAddress ?? '');
    if (slot === null) return refuse(response, 503, 'Too many requests at once');
    response.once('close', () => slot.release());
    handle(request, response, { options, slot }).catch((error: unknown) => fail(response, error));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  // The server listens on TCP, so the address is not a string.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${options.host.includes(':') ? `[${options.host}]` : options.host}:${port}/mcp`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  { options, slot }: { options: HttpOptions; slot: RequestSlot },
): Promise<void> {
  const fault = guardFault(request, options);
  if (fault !== null) return refuse(response, 403, fault);
  if (new URL(request.url ?? '/', 'http://localhost').pathname !== '/mcp') {
    return refuse(response, 404, 'The path of MCP is /mcp');
  }
  if (request.method !== 'POST') {
    response.setHeader('Allow', 'POST');
    return refuse(response, 405, 'There are no sessions or streams: POST each request');
  }
  const credential = credentialOf(request);
  if (credential === null) {
    response.setHeader('WWW-Authenticate', 'Bearer realm="outdial"');
    return refuse(response, 401, 'Send an API key as X-API-Key, or a token as Authorization: Bearer');
  }
  const client = createOutdialClient({ baseUrl: options.baseUrl, ...credential });
  // Checks the credential before the body, because a stranger could take a minute to send one.
  const { server, organizationId } = await createMcpServer(client, options);
  if (!slot.assignTo(organizationId)) {
    return refuse(response, 503, 'Too many requests of this organization at once');
  }
  const body = await readJson(request);
  if (body.kind === 'refused') return refuse(response, body.status, body.message);
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
  response.once('close', () => void server.close());
  await server.connect(transport);
  await transport.handleRequest(request, response, body.json);
}

async function readJson(
  request: IncomingMessage,
): Promise<{ kind: 'json'; json: unknown } | { kind: 'refused'; status: number; message: string }> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    // Without an encoding, a request yields buffers.
    const bytes = chunk as Buffer;
    length += bytes.length;
    if (length > bodyAtMost) {
      return { kind: 'refused', status: 413, message: `The body is larger than ${bodyAtMost} bytes` };
    }
    chunks.push(bytes);
  }
  const read = readJsonBody(Buffer.concat(chunks).toString('utf8'));
  return 'json' in read
    ? { kind: 'json', json: read.json }
    : { kind: 'refused', status: 400, message: read.fault };
}

/** A JSON-RPC error without an id, because it is about the HTTP request. */
function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' });
  response.end(JSON.stringify({ jsonrpc: '2.0', error: { code: -32_000, message }, id: null }));
}

function fail(response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  if (error instanceof OutdialError && (error.status === 401 || error.status === 429)) {
    return refuse(response, error.status, error.message);
  }
  refuse(response, 502, 'The api could not be reached');
}

interface GuardOptions {
  /** Accepted host names in addition to those of this machine, with their ports if they have one. */
  allowedHosts: readonly string[];
  /** Accepted origins of pages; none by default. Programs send no `Origin`. */
  allowedOrigins: readonly string[];
}

const loopbackHost = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i;

/**
 * Why a request is refused, or null. `Host` and `Origin` must be known, so that a page in a browser cannot reach this server through its
 * own name (DNS rebinding): MCP, Streamable HTTP, "Security Warning".
 */
function guardFault(request: IncomingMessage, options: GuardOptions): string | null {
  const { host, origin } = request.headers;
  if (host === undefined || !(loopbackHost.test(host) || options.allowedHosts.includes(host.toLowerCase()))) {
    return 'This host is not allowed: add it with --allow-host';
  }
  if (origin !== undefined && !options.allowedOrigins.includes(origin.toLowerCase())) {
    return 'This origin is not allowed: name it with --allow-origin';
  }
  return null;
}

/** The caller's credential. The server itself has none. */
function credentialOf(request: IncomingMessage): { apiKey: string } | { accessToken: string } | null {
  const key = request.headers['x-api-key'];
  if (typeof key === 'string' && key !== '') return { apiKey: key };
  const token = /^Bearer +([\w\-.~+/]+=*) *$/i.exec(request.headers.authorization ?? '')?.[1];
  if (token === undefined) return null;
  // Many MCP clients support no other header.
  return token.startsWith('od_') ? { apiKey: token } : { accessToken: token };
}
