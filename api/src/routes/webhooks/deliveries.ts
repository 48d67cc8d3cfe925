import {
  created,
  deliverWebhooksJob,
  emptyBody,
  envelope,
  listDeliveriesQuery,
  redeliverBody,
  redelivered,
  rolesFrom,
  webhookDelivery,
} from '@outdial/contracts';
import {
  byId,
  createTestDelivery,
  findWebhookEndpoint,
  listDeliveries,
  redeliver,
  redeliverSince,
} from '@outdial/db';
import { z } from 'zod';
import { defineList } from '../../http/define-list.ts';
import { defineRoute } from '../../http/define-route.ts';
import { idempotencyHeader, once } from '../../http/idempotency.ts';
import { orNotFound, resourceId } from '../../http/resource-id.ts';
import type { ApiDeps } from '../../deps.ts';
import { deliveryView } from './views.ts';

const tag = 'webhooks';
const what = 'Webhook endpoint';
const path = '/api/v1/webhook-endpoints/{endpoint_id}';
const params = z.object({ endpoint_id: z.string() });
const redeliveredAtOnce = 10_000;

/** The job is a shortcut. If it cannot be published, the scheduler finds the due delivery within a second. */
async function announce({ publisher, log }: ApiDeps, endpointId: string): Promise<void> {
  await publisher
    .publish(deliverWebhooksJob, { endpoint_id: endpointId })
    .catch((error: unknown) =>
      log.warn({ err: error }, 'could not publish a webhook delivery; the scheduler will publish it'),
    );
}

const answerDelivery = envelope(webhookDelivery);
const answerRedelivered = envelope(redelivered);

export const testEndpointRoute = defineRoute(
  {
    method: 'post',
    path: `${path}/test`,
    operationId: 'testWebhookEndpoint',
    summary: 'Send a test event to a webhook endpoint',
    description:
      'Sends an event of the type `webhook.test`. Returns the delivery; its result appears in the list of deliveries.',
    tag,
    roles: rolesFrom('manager'),
    params,
    body: emptyBody,
    headers: idempotencyHeader,
    response: answerDelivery,
  },
  async (request, deps) => {
    const endpointId = resourceId(request.params.endpoint_id, what);
    const address = { organizationId: request.organizationId, endpointId };
    return once(deps, request, answerDelivery, async (tx) => ({
      kept: created(deliveryView(orNotFound(await createTestDelivery(tx, address), what))),
      afterCommit: () => announce(deps, endpointId),
    }));
  },
);

export const listDeliveriesRoute = defineList(
  {
    path: `${path}/deliveries`,
    operationId: 'listWebhookDeliveries',
    summary: 'List the deliveries of a webhook endpoint, newest first',
    tag,
    roles: rolesFrom('manager'),
    params,
    query: listDeliveriesQuery,
    item: webhookDelivery,
    rowBytesAtMost: 8 * 1024,
  },
  async ({ organizationId, params: { endpoint_id: id }, query, page }, { db }) => {
    const address = { organizationId, endpointId: resourceId(id, what) };
    orNotFound(await findWebhookEndpoint(db, address), what);
    return {
      rows: await listDeliveries(db, { ...address, status: query.status ?? null, page }),
      position: byId,
      view: deliveryView,
    };
  },
);

export const redeliverRoute = defineRoute(
  {
    method: 'post',
    path: '/api/v1/webhook-deliveries/{delivery_id}/redeliver',
    operationId: 'redeliverWebhook',
    summary: 'Redeliver an event',
    description:
      'Sends the event again, as a new delivery. A delivery that waits for a retry is retried now instead, after those of its subject that wait in front of it.',
    tag,
    roles: rolesFrom('manager'),
    params: z.object({ delivery_id: z.string() }),
    body: emptyBody,
    headers: idempotencyHeader,
    response: answerDelivery,
  },
  async (request, deps) => {
    const deliveryId = resourceId(request.params.delivery_id, 'Webhook delivery');
    const { organizationId } = request;
    return once(deps, request, answerDelivery, async (tx) => {
      const row = orNotFound(await redeliver(tx, { organizationId, deliveryId }), 'Webhook delivery');
      return { kept: created(deliveryView(row)), afterCommit: () => announce(deps, row.endpoint_id) };
    });
  },
);

export const redeliverSinceRoute = defineRoute(
  {
    method: 'post',
    path: `${path}/redeliver`,
    operationId: 'redeliverWebhooksSince',
    summary: 'Redeliver all events since a given time',
    description: `Sends the endpoint every event since then that it has not received, and now those that wait for a retry, at most ${redeliveredAtOnce} per request. \`more\` shows whether there are others.`,
    tag,
    roles: rolesFrom('manager'),
    params,
    body: redeliverBody,
    headers: idempotencyHeader,
    response: answerRedelivered,
  },
  async (request, deps) => {
    const endpointId = resourceId(request.params.endpoint_id, what);
    const address = { organizationId: request.organizationId, endpointId };
    const since = new Date(request.body.since);
    return once(deps, request, answerRedelivered, async (tx) => {
      const deliveries = orNotFound(
        await redeliverSince(tx, { ...address, since, limit: redeliveredAtOnce }),
        what,
      );
      const answer = { deliveries, more: deliveries === redeliveredAtOnce };
      return { kept: created(answer), afterCommit: () => announce(deps, endpointId) };
    });
  },
);
