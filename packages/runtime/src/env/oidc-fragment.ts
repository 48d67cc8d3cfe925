import { z } from 'zod';
import { envFragment } from './fragment.ts';
import { optional, secret, text, url, uuid, withDefault } from './variable.ts';

const domain = z
  .string()
  .regex(/^(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/);
/** Endpoints of Entra where every tenant of the world signs in, so anybody can bring an address of any domain. */
const ofEverybody = /^\/(?:common|organizations|consumers)(?:\/|$)/i;

/** `https://id.example.com=example.com,example.org` */
const trustedDomains = z.string().transform((value, context) => {
  const [, issuer = '', list = ''] = /^(.*)=([^=]*)$/s.exec(value) ?? [];
  const domains = list.split(',').map((each) => each.trim().toLowerCase());
  const read = z.array(domain).min(1).max(100).safeParse(domains);
  const fault = (message: string) => {
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  };
  if (!URL.canParse(issuer) || !/^https?:$/.test(new URL(issuer).protocol) || !read.success) {
    return fault(
      'must be an issuer, "=" and the domains of its addresses: https://id.example.com=example.com,example.org',
    );
  }
  if (ofEverybody.test(new URL(issuer).pathname)) {
    return fault('must name the issuer of one tenant, since anybody can sign in at this one');
  }
  return { issuer: new URL(issuer), domains: read.data };
});

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
    OIDC_TRUSTED_EMAIL_DOMAINS: optional(
      trustedDomains,
      'https://login.microsoftonline.com/11111111-2222-3333-4444-555555555555/v2.0=example.com,example.org',
      'An issuer that sends no email_verified, and the domains for which its addresses count as verified.',
    ),
  },
  (env, report) => {
    if (env.OIDC_ISSUER !== undefined && env.OIDC_CLIENT_ID === undefined) {
      report('OIDC_CLIENT_ID', 'is not set, and OIDC_ISSUER is');
    }
    const trusted = env.OIDC_TRUSTED_EMAIL_DOMAINS;
    if (trusted !== undefined && env.OIDC_ISSUER !== undefined) {
      // Whoever exchanges the provider has to think again about whom it may vouch for.
      if (trusted.issuer.href !== new URL(env.OIDC_ISSUER).href) {
        report('OIDC_TRUSTED_EMAIL_DOMAINS', 'names another issuer than OIDC_ISSUER');
      }
    }
    if (env.OIDC_ISSUER === undefined || env.OIDC_CLIENT_ID === undefined) return null;
    return {
      issuer: new URL(env.OIDC_ISSUER),
      clientId: env.OIDC_CLIENT_ID,
      clientSecret: env.OIDC_CLIENT_SECRET ?? null,
      name: env.OIDC_NAME,
      organizationId: env.OIDC_ORGANIZATION_ID?.toLowerCase() ?? null,
      trustedFor: trusted ?? null,
    };
  },
);
