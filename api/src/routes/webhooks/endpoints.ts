import {
  created,
  createWebhookEndpointBody,
  deleted,
  emptyBody,
  envelope,
  got,
  listEndpointsQuery,
  rolesFrom,
  updated,
  updateWebhookEndpointBody,
  webhookEndpoint,
  webhookEndpointWithSecret,
} from '@outdial/contracts';
import { ConflictError } from '@outdial/core';
import {
  byId,
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  findWebhookEndpoint,
  inTransaction,
  listWebhookEndpoints,
  lockWebhookEndpoint,
  rotateWebhookSecret,
  updateWebhookEndpoint,
} from '@outdial/db';
import { newSigningSecret } from '@outdial/webhooks';
import { z } from 'zod';
import { mayBePublic } from '@outdial/runtime/http-client';
import { defineList } from '../../http/define-list.ts';
import { defineRoute } from '../../http/define-route.ts';
import { idempotencyHeader, once } from '../../http/idempotency.ts';
import { notFound, orNotFound, resourceId } from '../../http/resource-id.ts';
import { endpointView } from './views.ts';
import type { ApiConfig } from '../../deps.ts';
import { fieldFault } from '../../http/errors.ts';

const tag = 'webhooks';
const what = 'Webhook endpoint';
const path = '/api/v1/webhook-endpoints';
const params = z.object({ endpoint_id: z.string() });

/** Each endpoint costs a row per event. */
const endpointsAtMost = 20;
/** How long the old secret stays valid after a rotation. */
const rotationHours = 24;

const answerWithSecret = envelope(webhookEndpointWithSecret);
/** The answer that is stored for repeated requests has no secret: only the first answer shows it. */
const keptAnswer = answerWithSecret.extend({
  message: z.string(),
  meta: z.record(z.string(), z.unknown()),
  data: webhookEndpointWithSecret,
});

export const createEndpointRoute = defineRoute(
  {
    method: 'post',
    path,
    operationId: 'createWebhookEndpoint',
    summary: 'Create a webhook endpoint',
    description: `An organization can have at most ${endpointsAtMost} endpoints. Keep the secret: it is shown only once.`,
    tag,
    roles: rolesFrom('manager'),
    body: createWebhookEndpointBody,
    headers: idempotencyHeader,
    response: answerWithSecret,
  },
  async (request, deps) => {
    const { organizationId, body } = request;
    requirePublic(body.url, deps.config);
    let secret: string | null = null;
    const answer = await once(deps, request, keptAnswer, async (tx) => {
      const made = newSigningSecret();
      const row = await createWebhookEndpoint(tx, {
        ...body,
        organizationId,
        secret: made,
        atMost: endpointsAtMost,
      });
      if (row === null) {
        throw new ConflictError(
          'too_many_webhook_endpoints',
          `An organization can have at most ${endpointsAtMost} webhook endpoints; delete one first`,
        );
      }
      secret = made;
      return { kept: created({ ...endpointView(row), secret: null }) };
    });
    return { ...answer, data: { ...answer.data, secret } };
  },
);

export const listEndpointsRoute = defineList(
  {
    path,
    operationId: 'listWebhookEndpoints',
    summary: 'List webhook endpoints, newest first',
    tag,
    roles: rolesFrom('manager'),
    query: listEndpointsQuery,
    item: webhookEndpoint,
    rowBytesAtMost: 16 * 1024,
  },
  async ({ organizationId, page }, { db }) => ({
    rows: await listWebhookEndpoints(db, { organizationId, page }),
    position: byId,
    view: endpointView,
  }),
);

export const readEndpointRoute = defineRoute(
  {
    method: 'get',
    path: `${path}/{endpoint_id}`,
    operationId: 'readWebhookEndpoint',
    summary: 'Read a webhook endpoint',
    tag,
    roles: rolesFrom('manager'),
    params,
    response: envelope(webhookEndpoint),
  },
  async ({ organizationId, params: { endpoint_id: id } }, { db }) => {
    const address = { organizationId, endpointId: resourceId(id, what) };
    const row = orNotFound(await findWebhookEndpoint(db, address), what);
    return got(endpointView(row));
  },
);

export const updateEndpointRoute = defineRoute(
  {
    method: 'put',
    path: `${path}/{endpoint_id}`,
    operationId: 'updateWebhookEndpoint',
    summary: 'Update a webhook endpoint',
    description:
      'Changes only the fields in the body. If you enable an endpoint that the service disabled, its undelivered events are sent.',
    tag,
    roles: rolesFrom('manager'),
    params,
    body: updateWebhookEndpointBody,
    response: envelope(webhookEndpoint),
  },
  async ({ organizationId, params: { endpoint_id: id }, body, ifMatch }, { db, config }) => {
    requirePublic(body.url, config);
    const address = { organizationId, endpointId: resourceId(id, what) };
    const changed = await inTransaction(db, async (tx) => {
      await ifMatch(async () => endpointView(orNotFound(await lockWebhookEndpoint(tx, address), what)));
      return updateWebhookEndpoint(tx, address, body);
    });
    const row = orNotFound(changed, what);
    return updated(endpointView(row));
  },
);

export const deleteEndpointRoute = defineRoute(
  {
    method: 'delete',
    path: `${path}/{endpoint_id}`,
    operationId: 'deleteWebhookEndpoint',
    summary: 'Delete a webhook endpoint and its deliveries',
    description:
      'Nothing more is sent to it from the beginning, and millions of deliveries take a minute. If the request breaks off, send it again.',
    tag,
    roles: rolesFrom('manager'),
    params,
    response: envelope(webhookEndpoint),
  },
  async ({ organizationId, params: { endpoint_id: id } }, { db }) => {
    const address = { organizationId, endpointId: resourceId(id, what) };
    const row = orNotFound(await deleteWebhookEndpoint(db, address), what);
    return deleted(endpointView(row));
  },
);

export const rotateSecretRoute = defineRoute(
  {
    method: 'post',
    path: `${path}/{endpoint_id}/rotate-secret`,
    operationId: 'rotateWebhookSecret',
    updates: true,
    summary: 'Rotate the secret of a webhook endpoint',
    description:
      'For a day, events are signed with the old secret as well. The new secret is shown only once.',
    tag,
    roles: rolesFrom('manager'),
    params,
    body: emptyBody,
    headers: idempotencyHeader,
    response: answerWithSecret,
  },
  async (request, deps) => {
    const { organizationId, params: given } = request;
    const address = {
      organizationId,
      endpointId: resourceId(given.endpoint_id, what),
    };
    let secret: string | null = null;
    const answer = await once(deps, request, keptAnswer, async (tx) => {
      const made = newSigningSecret();
      const row = await rotateWebhookSecret(tx, address, { secret: made, overlapHours: rotationHours });
      if (row === null) throw notFound(what);
      secret = made;
      return { kept: updated({ ...endpointView(row), secret: null }) };
    });
    return { ...answer, data: { ...answer.data, secret } };
  },
);

/**
 * Reports at once that an endpoint has no public address. Workers also refuse such connections.
 * @throws ValidationError that names the field
 */
function requirePublic(
  url: string | undefined,
  { allowPrivateWebhooks = false }: Pick<ApiConfig, 'allowPrivateWebhooks'>,
): void {
  if (url === undefined || allowPrivateWebhooks || mayBePublic(new URL(url))) return;
  const msg =
    'Webhooks are only sent to public addresses, and this address is private; the operator can allow it with WEBHOOK_ALLOW_PRIVATE_TARGETS';
  throw fieldFault('url', msg);
}
