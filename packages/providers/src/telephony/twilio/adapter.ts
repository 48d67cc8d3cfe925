import type { TelephonyAdapter } from '../adapter.ts';
import { twilioRowSettings, twilioSettings, type EnvironmentTwilio } from './settings.ts';
import { createTwilio } from './twilio.ts';
import { envFragment, envVariable } from '@outdial/runtime';

const { optional, secret, text } = envVariable;

const twilioEnvironment = envFragment(
  {
    TWILIO_ACCOUNT_SID: optional(
      text.regex(/^AC[0-9a-fA-F]{32}$/, { error: 'must be AC and 32 hexadecimal digits' }),
      'AC0123456789abcdef0123456789abcdef',
      'The Twilio account that calls go through.',
    ),
    TWILIO_AUTH_TOKEN: optional(
      secret(32),
      'the-auth-token-of-the-account-000',
      'Verifies the requests that Twilio sends. Without an API key, it is also used to sign in.',
    ),
    TWILIO_API_KEY: optional(
      text.regex(/^SK[0-9a-fA-F]{32}$/, { error: 'must be SK and 32 hexadecimal digits' }),
      'SK0123456789abcdef0123456789abcdef',
      'An API key to sign in with, instead of the auth token.',
    ),
    TWILIO_API_SECRET: optional(secret(16), 'the-secret-of-the-key', 'Goes with TWILIO_API_KEY.'),
    TWILIO_FROM: optional(
      text.regex(/^\+[1-9]\d{6,14}$/, { error: 'must be a phone number in E.164 format' }),
      '+15550001111',
      'The caller id of agents that name none: a number of the account, or a number that the account has verified.',
    ),
    TWILIO_REGION: optional(
      text.regex(/^[a-z]{2}\d$/, { error: 'must be the name of a region of Twilio' }),
      'ie1',
      "Twilio's region, if it is not us1.",
    ),
    TWILIO_EDGE: optional(
      text.regex(/^[a-z-]{3,30}$/, { error: 'must be the name of an edge of Twilio' }),
      'dublin',
      "Twilio's edge, if it is not to be the nearest one.",
    ),
  },
  (env, report): EnvironmentTwilio | undefined => {
    const { TWILIO_ACCOUNT_SID: accountSid, TWILIO_AUTH_TOKEN: authToken } = env;
    const { TWILIO_API_KEY: keySid, TWILIO_API_SECRET: keySecret } = env;
    if ((keySid === undefined) !== (keySecret === undefined)) {
      report(
        keySid === undefined ? 'TWILIO_API_KEY' : 'TWILIO_API_SECRET',
        'is not set, and its counterpart is',
      );
    }
    if (accountSid === undefined) return undefined;
    if (authToken === undefined) {
      report('TWILIO_AUTH_TOKEN', 'is not set, and TWILIO_ACCOUNT_SID is');
      return undefined;
    }
    return {
      accountSid,
      authToken,
      ...(keySid !== undefined && keySecret !== undefined && { apiKey: { sid: keySid, secret: keySecret } }),
      ...(env.TWILIO_FROM !== undefined && { from: env.TWILIO_FROM }),
      ...(env.TWILIO_REGION !== undefined && { region: env.TWILIO_REGION }),
      ...(env.TWILIO_EDGE !== undefined && { edge: env.TWILIO_EDGE }),
    };
  },
);

export const twilioAdapter: TelephonyAdapter<'twilio', EnvironmentTwilio> = {
  name: 'twilio',
  environment: twilioEnvironment,
  requiredVariables: ['TWILIO_ACCOUNT_SID'],
  rowSettings: twilioRowSettings,
  // By default, an account dials one call a second and queues the rest.
  firstCallsPerSecond: 1,
  build(row, { installation, publicUrl, environment }) {
    const own = twilioSettings(row, { twilio: installation, publicUrl }, environment);
    return own && createTwilio(own);
  },
};
