import { mayBePublic } from '@outdial/webhooks';
import type { ApiConfig } from '../../deps.ts';
import { fieldFault } from '../../http/errors.ts';

/**
 * Tells the owner of an endpoint at once that nothing would be sent there: workers refuse the connection too.
 * @throws ValidationError that names the field
 */
export function requirePublic(
  url: string | undefined,
  { allowPrivateWebhooks = false }: Pick<ApiConfig, 'allowPrivateWebhooks'>,
): void {
  if (url === undefined || allowPrivateWebhooks || mayBePublic(new URL(url))) return;
  const msg =
    'Webhooks go to public addresses only, and this one is not; WEBHOOK_ALLOW_PRIVATE_TARGETS allows it';
  throw fieldFault('url', msg);
}
