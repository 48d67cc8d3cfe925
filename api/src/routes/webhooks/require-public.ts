import { mayBePublic } from '@outdial/runtime/http-client';
import type { ApiConfig } from '../../deps.ts';
import { fieldFault } from '../../http/errors.ts';

/**
 * Reports at once that an endpoint has no public address. Workers also refuse such connections.
 * @throws ValidationError that names the field
 */
export function requirePublic(
  url: string | undefined,
  { allowPrivateWebhooks = false }: Pick<ApiConfig, 'allowPrivateWebhooks'>,
): void {
  if (url === undefined || allowPrivateWebhooks || mayBePublic(new URL(url))) return;
  const msg =
    'Webhooks are only sent to public addresses, and this address is private; the operator can allow it with WEBHOOK_ALLOW_PRIVATE_TARGETS';
  throw fieldFault('url', msg);
}
