import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { z } from 'zod';
import { randomOf } from '../random.ts';

const heardEvent = z.object({
  id: z.string(),
  type: z.string(),
  sequence: z.number(),
  data: z.object({ call_id: z.string().optional(), outcome: z.string().nullish() }).loose(),
});

export type HeardEvent = z.output<typeof heardEvent>;

/** A receiver of webhooks that is never killed, and records every event. */
export interface MoodyReceiver {
  url: string;
  /** The first arrival of each event, in order. */
  heard: Map<string, HeardEvent>;
  /** The number of all requests, including retries. */
  requests: number;
  /** Requests whose signature the `standardwebhooks` package refused, and events that were repeated with another body. */
  faults: string[];
  /** Stops all faults: every later request gets a 204. */
  calmDown(): void;
  close(): Promise<void>;
}

/** Answers 500, drops connections before and after recording the event, and answers late, depending on the event's id and the number of its attempts. */
export async function startMoodyReceiver(args: { seed: number; secret: string }): Promise<MoodyReceiver> {
  const webhook = new Webhook(args.secret);
  const arrivals = new Map<string, number>();
  const bodies = new Map<string, string>();
  let moody = true;
  const server = createServer((request, response) => {
    void text(request)
      .then((body) => {
        receiver.requests += 1;
        const id = String(request.headers['webhook-id']);
        const arrival = (arrivals.get(id) ?? 0) + 1;
        arrivals.set(id, arrival);
        const random = randomOf(args.seed, `webhook ${id} ${arrival}`);
        if (moody && random.chance(0.05)) return request.socket.destroy();
        const headers = Object.fromEntries(Object.entries(request.headers).map(([k, v]) => [k, String(v)]));
        const event = heardEvent.parse(webhook.verify(body, headers));
        if ((bodies.get(id) ?? body) !== body) {
          receiver.faults.push(`event ${id} was received with two bodies`);
        }
        bodies.set(id, body);
        if (!receiver.heard.has(id)) receiver.heard.set(id, event);
        if (moody && random.chance(0.05)) return request.socket.destroy();
        if (moody && random.chance(0.05)) return response.writeHead(500).end();
        if (moody && random.chance(0.05)) {
          return setTimeout(() => response.writeHead(200).end(), random.between(200, 2_000));
        }
        return response.writeHead(204).end();
      })
      .catch((error: unknown) => {
        receiver.faults.push(String(error));
        response.writeHead(400).end();
      });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // It listens on TCP.
  const { port } = server.address() as AddressInfo;
  const receiver: MoodyReceiver = {
    url: `http://127.0.0.1:${port}/outdial`,
    heard: new Map(),
    requests: 0,
    faults: [],
    calmDown: () => {
      moody = false;
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return receiver;
}
