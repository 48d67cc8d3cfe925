import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { onTestFinished } from 'vitest';
import { z } from 'zod';

const message = z.object({
  id: z.string(),
  type: z.string(),
  created_at: z.iso.datetime(),
  organization_id: z.string(),
  sequence: z.number(),
  data: z.record(z.string(), z.unknown()),
});

export type ReceivedEvent = z.output<typeof message>;

/** The answer to a request: a status, or a function that answers it or breaks the connection. */
export type Behaviour = number | ((request: IncomingMessage, response: ServerResponse) => void);

export interface Receiver {
  url: string;
  /** Deliveries with a valid signature, in order of arrival, including repeated ones. */
  events: ReceivedEvent[];
  headers: Array<IncomingMessage['headers']>;
  /** The number of requests with an invalid signature. */
  refused: number;
  secret: string;
  /** The answers to the next requests, in order. After the last one, the answer is 200. */
  behaviours: Behaviour[];
}

/** A receiver as an integrator would write it, which verifies deliveries with the `standardwebhooks` package. */
export async function startReceiver(): Promise<Receiver> {
  const receiver: Receiver = {
    url: '',
    events: [],
    headers: [],
    refused: 0,
    secret: '',
    behaviours: [],
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      receiver.headers.push(request.headers);
      try {
        const body = Buffer.concat(chunks).toString();
        const headers = Object.fromEntries(Object.entries(request.headers).map(([k, v]) => [k, String(v)]));
        receiver.events.push(message.parse(new Webhook(receiver.secret).verify(body, headers)));
      } catch {
        receiver.refused += 1;
      }
      const behaviour = receiver.behaviours.shift() ?? 200;
      if (typeof behaviour === 'number') response.writeHead(behaviour).end();
      else behaviour(request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // The server listens on TCP, so the address is not a string.
  const { port } = server.address() as AddressInfo;
  receiver.url = `http://127.0.0.1:${port}/outdial`;
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });
  return receiver;
}
