import { createHash, timingSafeEqual } from 'node:crypto';
import type { OpsCredentials } from '../env/fragments.ts';

/** Whether an `Authorization` header has these credentials (HTTP Basic, RFC 7617). Compares them in constant time. */
export function hasBasicAuth(header: string | undefined, { user, password }: OpsCredentials): boolean {
  const encoded = /^Basic\s+([A-Za-z0-9+/=]+)$/i.exec(header ?? '')?.[1];
  if (encoded === undefined) return false;
  return timingSafeEqual(digest(Buffer.from(encoded, 'base64')), digest(Buffer.from(`${user}:${password}`)));
}

function digest(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest();
}
