import { createHmac, randomBytes } from 'node:crypto';

/**
 * The headers of Standard Webhooks (https://www.standardwebhooks.com), one signature for each secret. During a rotation there are
 * two, so that a receiver verifies with the old secret until it has the new one.
 */
export function signedHeaders(
  secrets: readonly string[],
  { messageId, body, at }: { messageId: string; body: string; at: Date },
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const content = `${messageId}.${timestamp}.${body}`;
  return {
    'webhook-id': messageId,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((secret) => `v1,${signature(secret, content)}`).join(' '),
  };
}

const prefix = 'whsec_';

/** By Node's own HMAC: the one of the `standardwebhooks` package, in JavaScript, takes four times as long. */
function signature(secret: string, content: string): string {
  return createHmac('sha256', Buffer.from(secret.slice(prefix.length), 'base64'))
    .update(content)
    .digest('base64');
}

/** A new secret in the form of Standard Webhooks: `whsec_` and 32 random bytes in base64. */
export function newSigningSecret(): string {
  return `${prefix}${randomBytes(32).toString('base64')}`;
}
