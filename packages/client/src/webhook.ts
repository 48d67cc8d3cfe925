import { Webhook } from 'standardwebhooks';
import type { components } from './generated/openapi.ts';

/** An event, as webhooks and `GET /api/v1/events` tell it. */
export type OutdialEvent = components['schemas']['Event'];

/**
 * Verifies and reads a webhook. `body` is the unparsed body of the request.
 * @throws WebhookVerificationError (of `standardwebhooks`) if it was not signed with the endpoint's secret, or more than five minutes ago
 */
export function readWebhook(
  secret: string,
  request: { headers: Readonly<Record<string, string | string[] | undefined>>; body: string | Buffer },
): OutdialEvent {
  const headers = Object.fromEntries(
    Object.entries(request.headers).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value]] : [],
    ),
  );
  // A signed body has the shape that the OpenAPI document describes.
  return new Webhook(secret).verify(request.body, headers) as OutdialEvent;
}
