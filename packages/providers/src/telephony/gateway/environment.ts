import { envFragment, envVariable } from '@outdial/runtime';
import type { EnvironmentGateway } from './settings.ts';

const { optional, text, url } = envVariable;

export const gatewayEnvironment = envFragment(
  {
    GATEWAY_URL: optional(
      url('http', 'https'),
      'https://voice.example.com',
      'Base url of the voice gateway.',
    ),
    GATEWAY_SECRET: optional(
      text.regex(/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/, {
        error: 'must be whsec_ and at least 24 bytes of base64',
      }),
      'whsec_b3V0ZGlhbC1leGFtcGxlLXNlY3JldC0wMQ==',
      'Signs what goes to the gateway and comes from it, as Standard Webhooks describes.',
    ),
    GATEWAY_SECRET_PREVIOUS: optional(
      text.regex(/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/, {
        error: 'must be whsec_ and at least 24 bytes of base64',
      }),
      'whsec_b3V0ZGlhbC1leGFtcGxlLXNlY3JldC0wMA==',
      'The secret before, while it is being changed: both are good then.',
    ),
  },
  ({ GATEWAY_URL: url, GATEWAY_SECRET: secret }, report): EnvironmentGateway | undefined => {
    if (url === undefined) return undefined;
    if (secret === undefined) {
      report('GATEWAY_SECRET', 'is not set, and GATEWAY_URL is');
      return undefined;
    }
    return { url: url.replace(/\/+$/, ''), secret };
  },
);
