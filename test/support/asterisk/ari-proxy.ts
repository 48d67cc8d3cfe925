import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer } from 'ws';

/** A proxy between an adapter and an Asterisk that drops events and answers on a test's command. */
export interface AriProxy {
  url: string;
  /** Drops events for which this returns true. */
  loseEvents(isLost: (text: string) => boolean): void;
  /** Closes every event websocket, and refuses new ones until `allowEvents`. */
  cutEvents(): void;
  allowEvents(): void;
  /** Requests whose answer is dropped: Asterisk handles them, and the connection then breaks. */
  loseAnswers(isLost: (method: string, path: string) => boolean): void;
  /** The forwarded requests `POST /channels/{id}`. */
  originates(): number;
  close(): Promise<void>;
}

export async function startAriProxy(asterisk: { url: string }): Promise<AriProxy> {
  let isLost: (text: string) => boolean = () => false;
  let isAnswerLost: (method: string, path: string) => boolean = () => false;
  let refusesEvents = false;
  let originates = 0;
  const pairs = new Set<[WebSocket, WebSocket]>();
  /** Websockets whose counterpart at the Asterisk is not open yet. It never opens if the Asterisk hangs. */
  const upgrades = new Set<Duplex>();

  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const { method = 'GET', url = '/' } = request;
      if (method === 'POST' && /^\/ari\/channels\/[0-9a-f-]{36}$/.test(url)) originates += 1;
      const { authorization = '', 'content-type': contentType } = request.headers;
      const answer = await fetch(asterisk.url + url, {
        method,
        headers: { authorization, ...(contentType && { 'content-type': contentType }) },
        ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
      });
      const body = Buffer.from(await answer.arrayBuffer());
      if (isAnswerLost(method, url)) return request.socket.destroy();
      response.writeHead(answer.status, {
        'content-type': answer.headers.get('content-type') ?? 'text/plain',
        'content-length': body.length,
      });
      response.end(body);
    })().catch(() => request.socket.destroy());
  });

  const sockets = new WebSocketServer({ noServer: true });
  server.on('upgrade', (request, socket, head) => {
    if (refusesEvents) return socket.destroy();
    upgrades.add(socket);
    socket.once('close', () => upgrades.delete(socket));
    const { authorization = '' } = request.headers;
    const upstream = new WebSocket(asterisk.url.replace(/^http/, 'ws') + (request.url ?? ''), {
      headers: { authorization },
    });
    upstream.on('error', () => socket.destroy());
    upstream.once('open', () => {
      sockets.handleUpgrade(request, socket, head, (downstream) => {
        const pair: [WebSocket, WebSocket] = [upstream, downstream];
        pairs.add(pair);
        upstream.on('message', (data) => {
          const text = (data as Buffer).toString('utf8');
          if (!isLost(text)) downstream.send(text);
        });
        const end = () => {
          pairs.delete(pair);
          upstream.terminate();
          downstream.terminate();
        };
        upstream.on('close', end);
        downstream.on('close', end);
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A server that listens on TCP has such an address.
  const { port } = server.address() as AddressInfo;

  const cut = () => {
    for (const [upstream, downstream] of pairs) {
      upstream.terminate();
      downstream.terminate();
    }
  };
  return {
    url: `http://127.0.0.1:${port}`,
    loseEvents: (lost) => void (isLost = lost),
    cutEvents() {
      refusesEvents = true;
      cut();
    },
    allowEvents: () => void (refusesEvents = false),
    loseAnswers: (lost) => void (isAnswerLost = lost),
    originates: () => originates,
    async close() {
      cut();
      for (const socket of upgrades) socket.destroy();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
