import { placeEvents, type Db } from '@outdial/db';
import { type ApiRequest, idOf } from './contract-client.ts';

/** Calls every operation on webhooks and events once, in an order in which each finds what it needs. */
export async function callWebhookOperations(
  db: Db,
  send: (label: string, request?: ApiRequest) => Promise<unknown>,
): Promise<void> {
  // Events from before the endpoint was created can be sent to it. This api has no scheduler to number them.
  await placeEvents(db, { limit: 1_000 });
  const endpoints = '/api/v1/webhook-endpoints';
  const endpoint = `${endpoints}/${idOf(await send(`POST ${endpoints}`, { json: { url: 'https://example.com/hooks' } }))}`;
  await send(`GET ${endpoints}`);
  await send(`GET ${endpoint}`);
  await send(`PUT ${endpoint}`, { json: { description: 'CRM' } });
  await send(`POST ${endpoint}/rotate-secret`);
  const deliveryId = idOf(await send(`POST ${endpoint}/test`));
  await send(`GET ${endpoint}/deliveries`);
  await send(`POST ${endpoint}/redeliver`, { json: { since: '2020-01-01T00:00:00Z' } });
  await send(`POST /api/v1/webhook-deliveries/${deliveryId}/redeliver`);
  await send(`DELETE ${endpoint}`);
  await send('GET /api/v1/events');
}
