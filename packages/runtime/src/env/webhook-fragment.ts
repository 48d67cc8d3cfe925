import { envFragment } from './fragment.ts';
import { flag, withDefault } from './variable.ts';

export const webhookEnv = envFragment(
  {
    WEBHOOK_ALLOW_PRIVATE_TARGETS: withDefault(
      flag,
      'false',
      'true allows webhooks to addresses that are not public, for development and for receivers in your own network.',
    ),
  },
  (env) => ({ allowPrivateTargets: env.WEBHOOK_ALLOW_PRIVATE_TARGETS }),
);
