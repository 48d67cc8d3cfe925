import { z } from 'zod';
import { cursorParameters, idPosition } from './cursor.ts';
import { eventTypes } from '@outdial/core';
import { exampleIds } from './example-values.ts';
import { dateTime, uuid } from './fields.ts';

const endpointUrl = z
  .url({
    protocol: /^https?$/,
    error: 'Input should be an http or https URL, such as https://example.com/outdial',
  })
  .max(2_000)
  .refine((text) => !holdsCredentials(text), {
    message: 'A URL with a user name or password is not accepted; verify the signature instead',
    params: { type: 'value_error' },
  });

/** Also called for text that is not an address, because all faults are reported together. */
function holdsCredentials(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && (url.username !== '' || url.password !== '');
}

const subscription = z
  .array(z.enum(['*', ...eventTypes]))
  .min(1)
  .max(eventTypes.length + 1)
  .transform((types): string[] => (types.includes('*') ? ['*'] : [...new Set(types)]))
  .describe('The types of events to send, or `*` for all.');

const description = z.string().max(1_000);

export const createWebhookEndpointBody = z
  .strictObject({
    url: endpointUrl,
    events: subscription.default(['*']),
    description: description.default(''),
    enabled: z.boolean().default(true),
  })
  .meta({
    id: 'CreateWebhookEndpoint',
    example: { url: 'https://example.com/outdial', events: ['call.ended', 'campaign.finished'] },
  });

/** Replaces the fields that it names. */
export const updateWebhookEndpointBody = z
  .strictObject({
    url: endpointUrl.optional(),
    events: subscription.optional(),
    description: description.optional(),
    enabled: z.boolean().optional(),
  })
  .meta({ id: 'UpdateWebhookEndpoint', example: { enabled: false } });

export const redeliverBody = z
  .strictObject({ since: z.iso.datetime({ offset: true }) })
  .meta({ id: 'RedeliverSince', example: { since: '2026-03-01T00:00:00Z' } });

const endpointFields = z.object({
  id: uuid,
  organization_id: uuid,
  url: z.string(),
  events: z.array(z.string()),
  description: z.string(),
  enabled: z.boolean(),
  disabled_reason: z
    .enum(['gone', 'failing'])
    .nullable()
    .describe(
      'Why the service disabled the endpoint: `gone` if it responded with 410, `failing` if all deliveries failed for five days.',
    ),
  failing_since: dateTime.nullable(),
  created_at: dateTime,
  updated_at: dateTime,
});

const exampleEndpoint = {
  id: exampleIds.endpoint,
  organization_id: exampleIds.organization,
  url: 'https://example.com/outdial',
  events: ['call.ended', 'campaign.finished'],
  description: 'CRM',
  enabled: true,
  disabled_reason: null,
  failing_since: null,
  created_at: '2026-03-01T09:00:00.000Z',
  updated_at: '2026-03-01T09:00:00.000Z',
};

export const webhookEndpoint = endpointFields.meta({ id: 'WebhookEndpoint', examples: [exampleEndpoint] });

export const webhookEndpointWithSecret = endpointFields
  .extend({
    secret: z
      .string()
      .nullable()
      .describe('The secret for verifying signatures. Shown only once: null in a repeated answer.'),
  })
  .meta({
    id: 'WebhookEndpointWithSecret',
    examples: [{ ...exampleEndpoint, secret: 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=' }],
  });

export const deliveryStatus = z.enum(['pending', 'delivered', 'failed']);

export const webhookDelivery = z
  .object({
    id: uuid,
    endpoint_id: uuid,
    event_id: uuid,
    event_type: z.string(),
    status: deliveryStatus,
    attempts: z.int(),
    next_attempt_at: dateTime.nullable(),
    last_attempt_at: dateTime.nullable(),
    response_status: z.int().nullable().describe('The HTTP status of the last attempt.'),
    error: z.string().nullable().describe('Why the last attempt failed.'),
    duration_ms: z.int().nullable(),
    created_at: dateTime,
    delivered_at: dateTime.nullable(),
  })
  .meta({
    id: 'WebhookDelivery',
    examples: [
      {
        id: exampleIds.delivery,
        endpoint_id: exampleIds.endpoint,
        event_id: exampleIds.event,
        event_type: 'call.ended',
        status: 'pending',
        attempts: 1,
        next_attempt_at: '2026-03-02T15:09:56.000Z',
        last_attempt_at: '2026-03-02T15:04:51.000Z',
        response_status: 500,
        error: 'the endpoint answered 500',
        duration_ms: 87,
        created_at: '2026-03-02T15:04:50.000Z',
        delivered_at: null,
      },
    ],
  });

export const redelivered = z
  .object({
    deliveries: z.int(),
    more: z.boolean().describe('Whether there are more events to send. If so, repeat the request.'),
  })
  .meta({ id: 'Redelivered', examples: [{ deliveries: 12, more: false }] });

export const listEndpointsQuery = cursorParameters(idPosition);

export const listDeliveriesQuery = cursorParameters(idPosition).extend({ status: deliveryStatus.optional() });
