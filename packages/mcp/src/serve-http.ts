import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { createOutdialClient, OutdialError } from '@outdial/client';
import { createMcpServer, type McpOptions } from './create-server.ts';
import { credentialOf, guardFault, type GuardOptions } from './http-guard.ts';
import { createPlaces, type Place } from './places.ts';

export interface HttpOptions extends McpOptions, GuardOptions {
  /** Of the api. */
  baseUrl: string;
  host: string;
  port: number;
}

export interface HttpServer {
  /** Where MCP is spoken. */
  url: string;
  close(): Promise<void>;
}

const bodyAtMost = 2 * 1024 * 1024;
const requestTimeoutMs = 60_000;

/**
 * Speaks MCP over Streamable HTTP, without sessions: each request stands for itself and carries the caller's own credential, with which it is answered.
 * So a caller can do no more here than at the api.
 */
export async function serveHttp(options: HttpOptions): Promise<HttpServer> {
  const places = createPlaces();
  const server = createServer({ requestTimeout: requestTimeoutMs }, (request, response) => {
    const place = places.take(request.socket.remoteAddress ?? '');
    if (place === null) return refuse(response, 503, 'Too many requests at once');
    response.once('close', () => place.leave());
    handle(request, response, { options, place }).catch((error: unknown) => fail(response, error));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  // It listens on TCP.
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
  { options, place }: { options: HttpOptions; place: Place },
): Promise<void> {
  const fault = guardFault(request, options);
  if (fault !== null) return refuse(response, 403, fault);
  if (new URL(request.url ?? '/', 'http://localhost').pathname !== '/mcp') {
    return refuse(response, 404, 'MCP is spoken at /mcp');
  }
  if (request.method !== 'POST') {
    response.setHeader('Allow', 'POST');
    return refuse(response, 405, 'Sessions and streams are not kept: POST each request');
  }
  const credential = credentialOf(request);
  if (credential === null) {
    response.setHeader('WWW-Authenticate', 'Bearer realm="outdial"');
    return refuse(response, 401, 'Send an API key as X-API-Key, or a token as Authorization: Bearer');
  }
  const client = createOutdialClient({ baseUrl: options.baseUrl, ...credential });
  // The credential before the body: a stranger could take a minute to send one.
  const { server, organizationId } = await createMcpServer(client, options);
  if (!place.nowOf(organizationId)) {
    return refuse(response, 503, 'Too many requests of this organization at once');
  }
  const body = await readJson(request);
  if (body.kind === 'refused') return refuse(response, body.status, body.message);
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
  response.once('close', () => void server.close());
  await server.connect(transport);
  await transport.handleRequest(request, response, body.json);
}

type ReadJson = { kind: 'json'; json: unknown } | { kind: 'refused'; status: number; message: string };

async function readJson(request: IncomingMessage): Promise<ReadJson> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    // Without an encoding a request gives buffers.
    const bytes = chunk as Buffer;
    length += bytes.length;
    if (length > bodyAtMost) {
      return { kind: 'refused', status: 413, message: `The body is larger than ${bodyAtMost} bytes` };
    }
    chunks.push(bytes);
  }
  try {
    return { kind: 'json', json: JSON.parse(Buffer.concat(chunks).toString('utf8')) };
  } catch {
    return { kind: 'refused', status: 400, message: 'The body is no JSON' };
  }
}

/** An error as JSON-RPC has it, without an id: it is about the request itself. */
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
