import { z } from 'zod';
import { withoutNulls } from '../row-settings.ts';
import { telephonyConfig, type TelephonyConfig } from './telephony-config.ts';

/** The settings of one account's adapter. */
export interface TwilioSettings {
  /** The name of the account's row in `providers`. */
  name: string;
  accountSid: string;
  /** Verifies Twilio's requests. Without an API key, it is also used to sign in. */
  authToken: string;
  apiKey: { sid: string; secret: string } | null;
  /** The caller id of agents that name none. */
  fromPhone: string | null;
  region: string | null;
  edge: string | null;
  /** The URL to which Twilio sends call events, without a query. */
  eventsUrl: string;
  /** Defaults for an agent's `config.telephony`. */
  defaults: TelephonyConfig;
  /** Null for Twilio itself. */
  apiUrl: string | null;
}

export interface EnvironmentTwilio {
  accountSid: string;
  authToken: string;
  apiKey?: { sid: string; secret: string } | undefined;
  from?: string | undefined;
  region?: string | undefined;
  edge?: string | undefined;
  /** Another host with Twilio's API. Only tests set it, because credentials must not go anywhere else. */
  apiUrl?: string;
}

const defaultSecretVariable = 'TWILIO_API_SECRET';

/** The settings that a row may have. Null removes a setting. */
export const twilioRowSettings = telephonyConfig.extend({
  account_sid: z
    .string()
    .regex(/^AC[0-9a-fA-F]{32}$/)
    .optional(),
  // Secrets are not stored in the database. A row names the variables that hold them. The prefix keeps it from naming any other variable.
  auth_token_env: z
    .string()
    .regex(/^TWILIO_AUTH_TOKEN(_[A-Z0-9_]+)?$/)
    .optional(),
  api_key: z
    .string()
    .regex(/^SK[0-9a-fA-F]{32}$/)
    .optional(),
  api_secret_env: z
    .string()
    .regex(/^TWILIO_API_SECRET(_[A-Z0-9_]+)?$/)
    .optional(),
  region: z
    .string()
    .regex(/^[a-z]{2}[0-9]$/)
    .optional(),
  edge: z
    .string()
    .regex(/^[a-z-]{3,30}$/)
    .optional(),
});

/** Merges an account's row with the environment; the row wins. Null if a credential is missing or a setting is invalid. */
export function twilioSettings(
  row: { name: string; settings: Record<string, unknown> },
  installation: { twilio?: EnvironmentTwilio | undefined; publicUrl: string },
  environment: Readonly<Record<string, string | undefined>>,
): TwilioSettings | null {
  const own = twilioRowSettings.safeParse(withoutNulls(row.settings));
  if (!own.success) return null;
  const { account_sid, auth_token_env, api_key, api_secret_env, region, edge, ...defaults } = own.data;
  const accountSid = account_sid ?? installation.twilio?.accountSid;
  // The environment's settings apply only to its own account.
  const twilio = installation.twilio?.accountSid === accountSid ? installation.twilio : undefined;
  const authToken = auth_token_env === undefined ? twilio?.authToken : environment[auth_token_env];
  if (accountSid === undefined || !authToken) return null;
  let apiKey = twilio?.apiKey ?? null;
  if (api_key !== undefined) {
    const secret = environment[api_secret_env ?? defaultSecretVariable];
    if (!secret) return null;
    apiKey = { sid: api_key, secret };
  }
  return {
    name: row.name,
    accountSid,
    authToken,
    apiKey,
    fromPhone: defaults.from_phone ?? twilio?.from ?? null,
    region: region ?? twilio?.region ?? null,
    edge: edge ?? twilio?.edge ?? null,
    eventsUrl: `${installation.publicUrl}/provider-events/${encodeURIComponent(row.name)}`,
    defaults,
    apiUrl: installation.twilio?.apiUrl ?? null,
  };
}
