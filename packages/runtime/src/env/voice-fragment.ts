import { envFragment } from './fragment.ts';
import { commaSeparated, integer, optional, secret, text, url, withDefault } from './variable.ts';

const tokenSecret = optional(
  secret(32),
  'a-secret-of-at-least-32-characters',
  'Signs the tokens that name a call to a voice process. The same for the api, workers and voice processes. Without it voice processes get no calls.',
);

/** The secret for tokens of voice processes; null without voice processes. */
export const voiceTokenEnv = envFragment(
  { VOICE_TOKEN_SECRET: tokenSecret },
  (env) => env.VOICE_TOKEN_SECRET ?? null,
);

export const voiceEnv = envFragment(
  {
    VOICE_TOKEN_SECRET: tokenSecret,
    VOICE_PORT: withDefault(integer(0, 65_535), '8090', 'Port of the voice process; 0 for any free one.'),
    VOICE_HOST: withDefault(
      text,
      '127.0.0.1',
      'Address on which the voice process listens. By default only this machine can connect; use 0.0.0.0 in a container.',
    ),
    VOICE_URL: optional(
      url('ws', 'wss'),
      'ws://voice:8090',
      'Where carriers reach this voice process. Default: its host and port. Each process needs its own.',
    ),
    VOICE_WEB_URL: optional(
      url('ws', 'wss'),
      'wss://voice.example.com',
      'Where browsers reach this voice process, if not at VOICE_URL. HTTPS pages require wss.',
    ),
    VOICE_WEB_ORIGINS: optional(
      commaSeparated(),
      'https://app.example.com',
      'Origins whose pages may talk to agents, separated by commas. Default: all, since a page also needs the token of a call.',
    ),
    VOICE_CAPACITY: withDefault(
      integer(1, 1_000),
      '50',
      'Concurrent calls of one voice process. If all processes are full, campaigns wait.',
    ),
    VOICE_DRAIN_SECONDS: withDefault(
      integer(0, 3_600),
      '300',
      'How long calls may continue when a voice process shuts down. Then it says goodbye, and ends and records them.',
    ),
  },
  (env, report) => {
    if (env.VOICE_TOKEN_SECRET === undefined) {
      report('VOICE_TOKEN_SECRET', 'is not set, and a voice process needs it');
    }
    if (env.VOICE_URL === undefined && /^(0\.0\.0\.0|::)$/.test(env.VOICE_HOST)) {
      report('VOICE_URL', `is not set, and carriers cannot reach ${env.VOICE_HOST}`);
    }
    return {
      // If it is not set, the fault above keeps this from being used.
      tokenSecret: env.VOICE_TOKEN_SECRET ?? '',
      port: env.VOICE_PORT,
      host: env.VOICE_HOST,
      url: env.VOICE_URL?.replace(/\/+$/, '') ?? null,
      webUrl: env.VOICE_WEB_URL?.replace(/\/+$/, '') ?? null,
      webOrigins: env.VOICE_WEB_ORIGINS ?? null,
      capacity: env.VOICE_CAPACITY,
      drainMs: env.VOICE_DRAIN_SECONDS * 1_000,
    };
  },
);
