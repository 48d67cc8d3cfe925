import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import type { GatewaySecrets } from './secrets.ts';

/** The three headers of Standard Webhooks (https://www.standardwebhooks.com). */
export type SignatureHeaders = Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>;

export interface Signer {
  sign(messageId: string, body: string, at: Date): SignatureHeaders;
  /** Why a delivery is not trusted; null if it is trusted. The clocks may differ by five minutes. */
  refusal(headers: Readonly<Record<string, string>>, body: string): string | null;
}

/** Signs with both secrets while there are two, and accepts the signature of either. */
export function createSigner({ current, previous }: GatewaySecrets): Signer {
  const webhooks = [current, ...(previous === null ? [] : [previous])].map((secret) => new Webhook(secret));
  return {
    sign: (messageId, body, at) => ({
      'webhook-id': messageId,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': webhooks.map((webhook) => webhook.sign(messageId, at, body)).join(' '),
    }),
    refusal(headers, body) {
      const reasons = webhooks.map((webhook) => refusalOf(webhook, headers, body));
      return reasons.includes(null) ? null : (reasons[0] ?? null);
    },
  };
}

function refusalOf(webhook: Webhook, headers: Readonly<Record<string, string>>, body: string): string | null {
  try {
    webhook.verify(body, { ...headers }, { jsonParse: false });
    return null;
  } catch (error) {
    return error instanceof WebhookVerificationError ? error.message : 'the signature cannot be read';
  }
}
