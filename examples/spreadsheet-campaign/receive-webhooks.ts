import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { readWebhook, type OutdialEvent } from '@outdial/client';

export interface Receiver {
  url: string;
  /** The secret of the endpoint. Set once the endpoint exists. */
  secret: string;
  close(): void;
}

/** Listens for webhooks on this machine. Answers requests with an invalid signature 400. */
export async function receiveWebhooks(handle: (event: OutdialEvent) => void): Promise<Receiver> {
  const receiver: Receiver = {
    url: '',
    secret: '',
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    try {
      const body = await text(request);
      handle(readWebhook(receiver.secret, { headers: request.headers, body }));
      response.writeHead(204).end();
    } catch {
      response.writeHead(400).end();
    }
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // The server listens on TCP, so the address is not a string.
  const { port } = server.address() as AddressInfo;
  receiver.url = `http://127.0.0.1:${port}/`;
  return receiver;
}
