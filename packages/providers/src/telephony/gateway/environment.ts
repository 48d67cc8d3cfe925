import { envFragment, envVariable } from '@outdial/runtime';
import type { EnvironmentGateway } from './settings.ts';

const { optional, secret, url } = envVariable;

const signingSecret = secret(1).regex(/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/, {
  error: 'must be whsec_ and at least 24 bytes of base64',
});

export const gatewayEnvironment = envFragment(
  {
    GATEWAY_URL: optional(
      url('http', 'https'),
      'https://voice.example.com',
      'Base url of the voice gateway.',
    ),
    GATEWAY_SECRET: optional(
      signingSecret,
      'whsec_b3V0ZGlhbC1leGFtcGxlLXNlY3JldC0wMQ==',
      'Signs requests to the gateway and events from it, as Standard Webhooks describes.',
    ),
    GATEWAY_SECRET_PREVIOUS: optional(
      signingSecret,
      'whsec_b3V0ZGlhbC1leGFtcGxlLXNlY3JldC0wMA==',
      'The previous secret, while the secret is being changed. Both are valid then.',
    ),
  },
  ({ GATEWAY_URL: baseUrl, GATEWAY_SECRET: own }, report): EnvironmentGateway | undefined => {
    if (baseUrl === undefined) return undefined;
    if (own === undefined) {
      report('GATEWAY_SECRET', 'is not set, and GATEWAY_URL is');
      return undefined;
    }
    return { url: baseUrl.replace(/\/+$/, ''), secret: own };
  },
);
