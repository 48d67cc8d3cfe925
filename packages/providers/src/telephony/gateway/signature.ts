import { Webhook, WebhookVerificationError } from 'standardwebhooks';

/** The three headers of Standard Webhooks (https://www.standardwebhooks.com). */
export type SignatureHeaders = Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>;

export interface Signer {
  sign(messageId: string, body: string, at: Date): SignatureHeaders;
  /** Why a delivery is not to be trusted; null where it is. Five minutes of clock difference are allowed. */
  refusal(headers: Readonly<Record<string, string>>, body: string): string | null;
}

/** `secret` is `whsec_` and base64. */
export function createSigner(secret: string): Signer {
  const webhook = new Webhook(secret);
  return {
    sign: (messageId, body, at) => ({
      'webhook-id': messageId,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': webhook.sign(messageId, at, body),
    }),
    refusal(headers, body) {
      try {
        webhook.verify(body, { ...headers }, { jsonParse: false });
        return null;
      } catch (error) {
        return error instanceof WebhookVerificationError ? error.message : 'the signature cannot be read';
      }
    },
  };
}
