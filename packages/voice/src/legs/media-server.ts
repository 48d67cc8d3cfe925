import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { createStrangers, type StrangerKind, type StrangerLimits } from './strangers.ts';

/** Where carriers connect: one path for each kind of leg. */
export interface MediaServer {
  port: number;
  /** Takes no further connection. Those that are open stay. */
  stopTaking(): void;
  close(): Promise<void>;
}

/** Who connects at one path. */
export interface MediaPath {
  path: string;
  /** Bytes; a longer one closes the connection. */
  longestMessage?: number;
  /** By the `Origin` that a browser sends; others send none. */
  admits?: (origin: string | undefined) => boolean;
}

/** A message of audio is a few hundred bytes. */
const longestMessage = 262_144;

/**
 * @param authorize the token of the connection's query, and what it may have; null refuses it
 * @param open called once for each connection that was authorized, by the path that it asked for
 */
export async function serveMedia<Authorized>(args: {
  port: number;
  host: string;
  paths: readonly MediaPath[];
  authorize: (token: string) => Promise<Authorized | null>;
  open: (path: string, socket: WebSocket, authorized: Authorized) => void;
  /** Connections that name their call in a message: until they have, they are strangers, and few. */
  strangers?: {
    paths: readonly string[];
    /** Whose the handshake may be. */
    judge: (path: string, headers: IncomingHttpHeaders) => StrangerKind | 'refused';
    /** Resolves with whether the connection is for a call. One that is not is cut off, and keeps its place until it is gone. */
    open: (path: string, socket: WebSocket) => Promise<boolean>;
    limits?: StrangerLimits;
  };
}): Promise<MediaServer> {
  let isTaking = true;
  const places = createStrangers(args.strangers?.limits);
  const http = createServer((_, response) => response.writeHead(404).end());
  const strangers = openSockets({});
  const ways = new Map(args.paths.map((one) => [one.path, { ...one, sockets: openSockets(one) }]));

  async function upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): Promise<void> {
    const url = new URL(request.url ?? '', 'ws://voice');
    if (args.strangers?.paths.includes(url.pathname)) return welcome(url.pathname, request, stream, head);
    const way = ways.get(url.pathname);
    if (way === undefined) return refuse(stream, '404 Not Found');
    if (!isTaking) return refuse(stream, '503 Service Unavailable');
    if (way.admits?.(request.headers.origin) === false) return refuse(stream, '403 Forbidden');
    const authorized = await args.authorize(url.searchParams.get('token') ?? '');
    if (authorized === null) return refuse(stream, '401 Unauthorized');
    way.sockets.handleUpgrade(request, stream, head, (socket) => {
      // A malformed frame before its leg listens must not end the process.
      socket.on('error', () => socket.terminate());
      args.open(url.pathname, socket, authorized);
    });
  }

  function welcome(path: string, request: IncomingMessage, stream: Duplex, head: Buffer): void {
    if (!isTaking) return refuse(stream, '503 Service Unavailable');
    const kind = args.strangers?.judge(path, request.headers) ?? 'refused';
    if (kind === 'refused') return refuse(stream, '401 Unauthorized');
    const free = places.admit(kind, request.socket.remoteAddress ?? '');
    if (free === null) return refuse(stream, '503 Service Unavailable');
    stream.once('close', free);
    strangers.handleUpgrade(request, stream, head, (socket) => {
      socket.on('error', () => socket.terminate());
      args.strangers?.open(path, socket).then(
        (isKnown) => (isKnown ? free() : socket.terminate()),
        () => socket.terminate(),
      );
    });
  }

  http.on('upgrade', (request, stream, head) => {
    stream.on('error', () => stream.destroy());
    upgrade(request, stream, head).catch(() => refuse(stream, '500 Internal Server Error'));
  });
  http.listen(args.port, args.host);
  await once(http, 'listening');
  const address = http.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : args.port,
    stopTaking() {
      isTaking = false;
    },
    async close() {
      isTaking = false;
      for (const sockets of [strangers, ...[...ways.values()].map((way) => way.sockets)]) {
        for (const socket of sockets.clients) socket.terminate();
      }
      http.close();
      http.closeAllConnections();
      await once(http, 'close');
    },
  };
}

function openSockets({ longestMessage: maxPayload = longestMessage }: Partial<MediaPath>): WebSocketServer {
  return new WebSocketServer({
    noServer: true,
    maxPayload,
    perMessageDeflate: false,
    handleProtocols: (protocols) => (protocols.has('media') ? 'media' : false),
  });
}

/** Who does not hang up after that is cut off. */
/** A refused connection that does not close by then is cut off. */
const refusedWithinMs = 1_000;

function refuse(stream: Duplex, status: string): void {
  // The other side may close first: cut off at once, it might never read why.
  const late = setTimeout(() => stream.destroy(), refusedWithinMs);
  stream.once('close', () => clearTimeout(late));
  stream.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}
