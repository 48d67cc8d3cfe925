import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { createHttpServer } from '@outdial/runtime';
import { type WebSocket, WebSocketServer } from 'ws';
import {
  createUnidentifiedLimit,
  type HandshakeKind,
  type UnidentifiedLimits,
} from './unidentified-limit.ts';

/** The websocket server for media, with a path for each kind of leg. */
export interface MediaServer {
  port: number;
  /** Refuses new connections. Open connections stay open. */
  stopAccepting(): void;
  close(): Promise<void>;
}

/** A path whose connections carry a call token in the query. */
export interface MediaPath {
  path: string;
  /** In bytes. A longer message closes the connection. */
  longestMessage?: number;
  /** The origins that browsers may connect from; null or absent: all. Programs send no origin, and are not affected. */
  allowedOrigins?: readonly string[] | null;
}

/** Audio messages have a few hundred bytes. */
const longestMessage = 262_144;

/**
 * @param authorize resolves a token; null refuses the connection
 * @param open is called once for each authorized connection
 */
export async function serveMedia<Authorized>(args: {
  port: number;
  host: string;
  paths: readonly MediaPath[];
  authorize: (token: string) => Promise<Authorized | null>;
  open: (path: string, socket: WebSocket, authorized: Authorized) => void;
  /** Paths whose connections name their call in a message. Until then, the number of connections is limited. */
  unidentified?: {
    paths: readonly string[];
    judge: (path: string, headers: IncomingHttpHeaders) => HandshakeKind | 'refused';
    /** Resolves to true once the connection has named a call. If it resolves to false, the connection is terminated. */
    open: (path: string, socket: WebSocket) => Promise<boolean>;
    limits?: UnidentifiedLimits;
  };
}): Promise<MediaServer> {
  const { unidentified } = args;
  let isAccepting = true;
  const limit = createUnidentifiedLimit(unidentified?.limits);
  const http = createHttpServer((_, response) => response.writeHead(404).end());
  const unidentifiedSockets = createSocketServer();
  const paths = new Map(
    args.paths.map((path) => [path.path, { ...path, sockets: createSocketServer(path.longestMessage) }]),
  );

  async function upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): Promise<void> {
    const url = new URL(request.url ?? '', 'ws://voice');
    if (unidentified?.paths.includes(url.pathname)) {
      return upgradeUnidentified(url.pathname, request, stream, head);
    }
    const path = paths.get(url.pathname);
    if (path === undefined) return refuse(stream, '404 Not Found');
    if (!isAccepting) return refuse(stream, '503 Service Unavailable');
    const { origin } = request.headers;
    if (origin !== undefined && path.allowedOrigins?.includes(origin) === false) {
      return refuse(stream, '403 Forbidden');
    }
    const authorized = await args.authorize(url.searchParams.get('token') ?? '');
    if (authorized === null) return refuse(stream, '401 Unauthorized');
    path.sockets.handleUpgrade(request, stream, head, (socket) => {
      // A malformed frame before the leg listens must not end the process.
      socket.on('error', () => socket.terminate());
      args.open(url.pathname, socket, authorized);
    });
  }

  function upgradeUnidentified(path: string, request: IncomingMessage, stream: Duplex, head: Buffer): void {
    if (!isAccepting) return refuse(stream, '503 Service Unavailable');
    const kind = unidentified?.judge(path, request.headers) ?? 'refused';
    if (kind === 'refused') return refuse(stream, '401 Unauthorized');
    const release = limit.admit(kind, request.socket.remoteAddress ?? '');
    if (release === null) return refuse(stream, '503 Service Unavailable');
    stream.once('close', release);
    unidentifiedSockets.handleUpgrade(request, stream, head, (socket) => {
      socket.on('error', () => socket.terminate());
      unidentified?.open(path, socket).then(
        (isIdentified) => (isIdentified ? release() : socket.terminate()),
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
    stopAccepting() {
      isAccepting = false;
    },
    async close() {
      isAccepting = false;
      for (const sockets of [unidentifiedSockets, ...[...paths.values()].map((path) => path.sockets)]) {
        for (const socket of sockets.clients) socket.terminate();
      }
      http.close();
      http.closeAllConnections();
      await once(http, 'close');
    },
  };
}

function createSocketServer(maxPayload = longestMessage): WebSocketServer {
  return new WebSocketServer({
    noServer: true,
    maxPayload,
    perMessageDeflate: false,
    handleProtocols: (protocols) => (protocols.has('media') ? 'media' : false),
  });
}

const refusedWithinMs = 1_000;

/** Refuses a handshake, and waits for the other side to close: destroying the connection at once might lose the answer. */
function refuse(stream: Duplex, status: string): void {
  const late = setTimeout(() => stream.destroy(), refusedWithinMs);
  stream.once('close', () => clearTimeout(late));
  stream.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}
