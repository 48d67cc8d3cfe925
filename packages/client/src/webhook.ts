import { Webhook } from 'standardwebhooks';
import type { components } from './generated/openapi.ts';

/** An event, as webhooks and `GET /api/v1/events` tell it. */
export type OutdialEvent = components['schemas']['Event'];

/**
 * Reads a webhook. `body` is the request's body as it came, not parsed.
 * @throws WebhookVerificationError (of `standardwebhooks`) where it was not signed with the endpoint's secret, or more than five
 * minutes ago
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
  // What is signed with the secret follows the interface's document.
  return new Webhook(secret).verify(request.body, headers) as OutdialEvent;
}
