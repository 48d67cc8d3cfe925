import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { ok, readWebhook, type OutdialClient, type OutdialEvent } from '@outdial/client';

/** A person to call, with the values for the agent's prompt. */
export interface Person {
  phoneNumber: string;
  promptParams: Record<string, string>;
}

/**
 * Calls people, and follows the campaign by webhooks alone, without polling. Returns the last outcome of each number when the campaign has finished.
 */
export async function callEverybody(
  client: OutdialClient,
  {
    agentId,
    people,
    onEvent,
  }: { agentId: string; people: readonly Person[]; onEvent?: (event: OutdialEvent) => void },
): Promise<Map<string, string>> {
  const outcomes = new Map<string, string>();
  const finished = Promise.withResolvers<void>();
  // A campaign has no events before it runs, and this is set before that.
  let campaignId: string | undefined;

  const receiver = await receive((event) => {
    if (event.data['campaign_id'] !== campaignId) return;
    onEvent?.(event);
    if (event.type === 'recipient.finished') {
      outcomes.set(String(event.data['phone_number']), String(event.data['outcome']));
    }
    if (event.type === 'campaign.finished') finished.resolve();
  });
  const { data: endpoint } = await ok(
    client.POST('/api/v1/webhook-endpoints', {
      body: { url: receiver.url, events: ['recipient.finished', 'campaign.finished'] },
    }),
  );
  if (!endpoint?.secret) throw new Error('the webhook endpoint was not created');
  receiver.secret = endpoint.secret;

  try {
    const created = await ok(
      client.POST('/api/v1/campaigns', {
        body: {
          name: 'Everybody',
          agent_id: agentId,
          phone_numbers: people.map((person) => person.phoneNumber),
          additional_params: {
            recipients: Object.fromEntries(
              people.map((person) => [person.phoneNumber, { prompt_params: person.promptParams }]),
            ),
          },
        },
      }),
    );
    campaignId = created.data.id;
    if (campaignId === undefined) throw new Error('the campaign was not created');
    const path = { campaign_id: campaignId };
    await ok(
      client.PUT('/api/v1/campaigns/{campaign_id}/config', {
        params: { path },
        body: { call_on_weekend: true },
      }),
    );
    await ok(
      client.PUT('/api/v1/campaigns/{campaign_id}/status', { params: { path }, body: { status: 'running' } }),
    );
    await finished.promise;
    return outcomes;
  } finally {
    await client.DELETE('/api/v1/webhook-endpoints/{endpoint_id}', {
      params: { path: { endpoint_id: endpoint.id } },
    });
    receiver.close();
  }
}

interface Receiver {
  url: string;
  secret: string;
  close(): void;
}

/** Listens for webhooks. An event may come more than once; only the first delivery counts. */
async function receive(handle: (event: OutdialEvent) => void): Promise<Receiver> {
  const seen = new Set<string>();
  const receiver: Receiver = { url: '', secret: '', close: () => server.close() };
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await text(request);
    try {
      const event = readWebhook(receiver.secret, { headers: request.headers, body });
      if (!seen.has(event.id)) handle(event);
      seen.add(event.id);
      response.writeHead(204).end();
    } catch {
      response.writeHead(400).end();
    }
  };
  const server: Server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  receiver.url = `http://127.0.0.1:${port}/`;
  return receiver;
}
