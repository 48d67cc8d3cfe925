import { envFragment } from './fragment.ts';
import { optional, secret, text, url, uuid, withDefault } from './variable.ts';

/** Sign-in at the console with an OpenID provider. Off unless the issuer is set. */
export const oidcEnv = envFragment(
  {
    OIDC_ISSUER: optional(
      url('http', 'https'),
      'https://id.example.com',
      'The OpenID provider for signing in to the console. Requires PUBLIC_URL.',
    ),
    OIDC_CLIENT_ID: optional(text, 'outdial', 'The client id of the console at OIDC_ISSUER.'),
    OIDC_CLIENT_SECRET: optional(
      secret(1),
      'the-secret-of-the-client',
      'The secret of the client. A public client has none and only uses PKCE.',
    ),
    OIDC_NAME: withDefault(text, 'your account', 'The text of the button after "Sign in with".'),
    OIDC_ORGANIZATION_ID: optional(
      uuid,
      '0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c11',
      'The organization of all users who sign in this way. By default it is found by their e-mail address.',
    ),
  },
  (env, report) => {
    if (env.OIDC_ISSUER !== undefined && env.OIDC_CLIENT_ID === undefined) {
      report('OIDC_CLIENT_ID', 'is not set, and OIDC_ISSUER is');
    }
    if (env.OIDC_ISSUER === undefined || env.OIDC_CLIENT_ID === undefined) return null;
    return {
      issuer: new URL(env.OIDC_ISSUER),
      clientId: env.OIDC_CLIENT_ID,
      clientSecret: env.OIDC_CLIENT_SECRET ?? null,
      name: env.OIDC_NAME,
      organizationId: env.OIDC_ORGANIZATION_ID?.toLowerCase() ?? null,
    };
  },
);
