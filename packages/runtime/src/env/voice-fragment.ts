import { envFragment } from './fragment.ts';
import { commaSeparated, integer, optional, secret, text, url, withDefault } from './variable.ts';

const tokenSecret = optional(
  secret(32),
  'a-secret-of-at-least-32-characters',
  'Signs what names a call to a voice process. Workers and voice processes need the same; without it no call is handed to them.',
);

/** The settings for handing calls to voice processes; null if there are none. */
export const voiceTokenEnv = envFragment(
  { VOICE_TOKEN_SECRET: tokenSecret },
  (env) => env.VOICE_TOKEN_SECRET ?? null,
);

/** The settings of a voice process. */
export const voiceEnv = envFragment(
  {
    VOICE_TOKEN_SECRET: tokenSecret,
    VOICE_PORT: withDefault(integer(0, 65_535), '8090', 'Port of the voice process; 0 takes a free one.'),
    VOICE_HOST: withDefault(
      text,
      '127.0.0.1',
      'Address on which the voice process listens: this machine alone unless set; 0.0.0.0 in a container.',
    ),
    VOICE_URL: optional(
      url('ws', 'wss'),
      'ws://voice:8090',
      'Where carriers reach this voice process; its host and port unless set. Each process needs its own.',
    ),
    VOICE_WEB_URL: optional(
      url('ws', 'wss'),
      'wss://voice.example.com',
      'Where browsers reach this voice process, where that is not VOICE_URL. Browsers take wss alone for pages of https.',
    ),
    VOICE_WEB_ORIGINS: optional(
      commaSeparated(),
      'https://app.example.com',
      'Origins whose pages may talk to agents, separated by commas. All unless set: a page needs the token of a call as well.',
    ),
    VOICE_CAPACITY: withDefault(
      integer(1, 1_000),
      '50',
      'Calls that one voice process carries at the same time; beyond them campaigns wait.',
    ),
    VOICE_DRAIN_SECONDS: withDefault(
      integer(0, 3_600),
      '300',
      'How long a voice process that was told to end lets its calls go on; then it cuts and records them.',
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
      // Never read where it is not set: that was reported.
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
