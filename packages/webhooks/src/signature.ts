import { createHmac, createSecretKey, randomBytes, type KeyObject } from 'node:crypto';

/**
 * The headers of Standard Webhooks (https://www.standardwebhooks.com), one signature for each key. During a rotation there are
 * two, so that a receiver verifies with the old secret until it has the new one.
 */
export function signedHeaders(
  keys: readonly KeyObject[],
  { messageId, body, at }: { messageId: string; body: string; at: Date },
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const content = `${messageId}.${timestamp}.${body}`;
  return {
    'webhook-id': messageId,
    'webhook-timestamp': timestamp,
    'webhook-signature': keys.map((key) => `v1,${signature(key, content)}`).join(' '),
  };
}

const prefix = 'whsec_';

/** The key of a secret. Created once for many signatures, because creating it costs more than signing. */
export function signingKey(secret: string): KeyObject {
  return createSecretKey(Buffer.from(secret.slice(prefix.length), 'base64'));
}

/** With Node's HMAC, because the JavaScript one of the `standardwebhooks` package takes four times as long. */
function signature(key: KeyObject, content: string): string {
  return createHmac('sha256', key).update(content).digest('base64');
}

/** A new secret in the form of Standard Webhooks: `whsec_` and 32 random bytes in base64. */
export function newSigningSecret(): string {
  return `${prefix}${randomBytes(32).toString('base64')}`;
}
