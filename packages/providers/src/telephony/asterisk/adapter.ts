import type { TelephonyAdapter } from '../adapter.ts';
import { createAsterisk } from './asterisk.ts';
import { asteriskRowSettings, asteriskSettings, type EnvironmentAsterisk } from './settings.ts';
import { envFragment, envVariable } from '@outdial/runtime';

const { optional, secret, text, url } = envVariable;

const asteriskEnvironment = envFragment(
  {
    ASTERISK_URL: optional(
      url('http', 'https'),
      'http://127.0.0.1:8088',
      'The HTTP server of the Asterisk that has the trunk.',
    ),
    ASTERISK_USER: optional(text, 'outdial', 'A user in its ari.conf.'),
    ASTERISK_PASSWORD: optional(
      secret(8),
      'change-this-password',
      'The password of ASTERISK_USER. Rows of further hosts name their own variable, ASTERISK_PASSWORD_NAME.',
    ),
    ASTERISK_ENDPOINT: optional(
      text.regex(/^[A-Za-z0-9]+\/[^&,]*\{(number|digits)\}[^&,]*$/, {
        error: 'must be a dial string with {number} or {digits} in it',
      }),
      'PJSIP/{number}@trunk',
      'The dial string: {number} is the number in E.164, {digits} is the number without the plus.',
    ),
    ASTERISK_RUNTIME: optional(
      text,
      '100@agents',
      'Where answered calls go if the agent names no other place: extension@context of the dialplan, or the ws:// URL of a voice runtime.',
    ),
  },
  (env, report): EnvironmentAsterisk | undefined => {
    const { ASTERISK_URL: host, ASTERISK_USER: user, ASTERISK_PASSWORD: password } = env;
    if (host === undefined) return undefined;
    if (user === undefined) report('ASTERISK_USER', 'is not set, and ASTERISK_URL is');
    if (password === undefined) report('ASTERISK_PASSWORD', 'is not set, and ASTERISK_URL is');
    if (user === undefined || password === undefined) return undefined;
    return {
      url: host.replace(/\/+$/, ''),
      user,
      password,
      ...(env.ASTERISK_ENDPOINT !== undefined && { endpoint: env.ASTERISK_ENDPOINT }),
      ...(env.ASTERISK_RUNTIME !== undefined && { runtime: env.ASTERISK_RUNTIME }),
    };
  },
);

export const asteriskAdapter: TelephonyAdapter<'asterisk', EnvironmentAsterisk> = {
  name: 'asterisk',
  environment: asteriskEnvironment,
  requiredVariables: ['ASTERISK_URL', 'ASTERISK_ENDPOINT'],
  rowSettings: asteriskRowSettings,
  firstCallsPerSecond: null,
  build(row, { installation, environment }) {
    const own = asteriskSettings(row, installation, environment);
    return own && createAsterisk(own);
  },
};
