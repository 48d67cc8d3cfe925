import { telephonyEnv } from '@outdial/providers/environment';
import {
  authEnv,
  databaseEnv,
  engineEnv,
  envFragment,
  envVariable,
  filesEnv,
  knowledgeTokenEnv,
  httpEnv,
  oidcEnv,
  opsEnv,
  queueEnv,
  type SettingsOf,
  uploadEnv,
  voiceEndpointsEnv,
  voiceTokenEnv,
  webhookEnv,
} from '@outdial/runtime';
import type { ApiConfig } from './deps.ts';
import type { JwtConfig } from './http/token.ts';

/** URLs in answers begin with PUBLIC_URL or with the address of the request, so PUBLIC_URL has no default here. */
const publicUrlEnv = envFragment(
  {
    PUBLIC_URL: envVariable.optional(
      envVariable.url('http', 'https'),
      'https://outdial.example.com',
      'Where providers and callers reach the api.',
    ),
  },
  (env) => env.PUBLIC_URL?.replace(/\/+$/, '') ?? null,
);

export const apiEnv = {
  database: databaseEnv,
  queue: queueEnv,
  http: httpEnv,
  auth: authEnv,
  oidc: oidcEnv,
  ops: opsEnv,
  telephony: telephonyEnv,
  engine: engineEnv,
  publicUrl: publicUrlEnv,
  files: filesEnv,
  upload: uploadEnv,
  knowledgeToken: knowledgeTokenEnv,
  voiceEndpoints: voiceEndpointsEnv,
  voiceToken: voiceTokenEnv,
  webhooks: webhookEnv,
};

export type ApiEnv = SettingsOf<typeof apiEnv>;

export function apiConfig(env: ApiEnv): ApiConfig {
  return {
    publicUrl: env.publicUrl,
    trustedProxies: env.http.trustedProxies,
    installationProvider: env.telephony.provider,
    callQueueTimeoutSeconds: env.engine.callQueueTimeoutSeconds,
    callTimes: {
      ringTimeoutSeconds: env.telephony.ringTimeoutSeconds,
      maxCallSeconds: env.telephony.maxCallSeconds,
    },
    jsonBodyLimitBytes: env.http.jsonBodyLimitBytes,
    ...env.upload,
    knowledgeTokenSecret: env.knowledgeToken,
    callTokenSecret: env.voiceToken,
    voiceEndpoints: env.voiceEndpoints.size === 0 ? null : env.voiceEndpoints,
    allowPrivateWebhooks: env.webhooks.allowPrivateTargets,
    corsOrigins: env.http.corsOrigins,
    jwt: jwtConfig(env.auth),
    oidc: env.oidc,
    ops: env.ops ?? null,
  };
}

function jwtConfig({
  jwtSecret,
  jwtSecretPrevious: previous,
  jwtLongestLifeMinutes,
  jwksUrl,
  jwtIssuer,
  jwtAudience,
}: ApiEnv['auth']): JwtConfig | null {
  const expected = {
    issuer: jwtIssuer,
    audience: jwtAudience,
    longestLifeSeconds: jwtLongestLifeMinutes * 60,
  };
  if (jwksUrl !== undefined) return { ...expected, keys: { kind: 'jwks', url: new URL(jwksUrl) } };
  return jwtSecret === undefined
    ? null
    : { ...expected, keys: { kind: 'secret', secret: jwtSecret, previous } };
}
