import { z } from 'zod';
import { withoutNulls } from '../without-nulls.ts';

/** What one gateway's adapter is made of. */
export interface GatewaySettings {
  /** The name of its row in `providers`. */
  name: string;
  /** Without a trailing slash. */
  url: string;
  /** `whsec_` and base64. */
  secret: string;
  eventsUrl: string;
  recordingHosts: readonly string[];
}

/** The gateway of the environment (`GATEWAY_URL`, `GATEWAY_SECRET`). */
export interface EnvironmentGateway {
  url: string;
  secret: string;
}

const defaultSecretVariable = 'GATEWAY_SECRET';
const secretFormat = /^whsec_[A-Za-z0-9+/]{32,}={0,2}$/;

export const gatewayRowSettings = z.object({
  url: z.url({ protocol: /^https?$/ }).optional(),
  // Secrets are not kept in the database. A row names the variable that holds its secret, and only such as are meant for it.
  secret_env: z
    .string()
    .regex(/^GATEWAY_SECRET(_[A-Z0-9_]+)?$/)
    .optional(),
  /** `host`, `host:port`, or `*.domain`; a list, or a text with commas. */
  recording_hosts: z
    .preprocess(
      (value) => (typeof value === 'string' ? value.split(',').map((host) => host.trim()) : value),
      z.array(z.string().regex(/^(\*\.)?[a-z0-9.:[\]-]+$/i)).max(100),
    )
    .optional(),
});

/** The settings of a gateway's row over those of the environment; null where url or secret is missing or wrong. */
export function gatewaySettings(
  row: { name: string; settings: Record<string, unknown> },
  installation: { gateway?: EnvironmentGateway | undefined; publicUrl: string },
  environment: Readonly<Record<string, string | undefined>>,
): GatewaySettings | null {
  const own = gatewayRowSettings.safeParse(withoutNulls(row.settings));
  if (!own.success) return null;
  const url = own.data.url ?? installation.gateway?.url;
  const variable = own.data.secret_env ?? defaultSecretVariable;
  const secret =
    variable === defaultSecretVariable && installation.gateway
      ? installation.gateway.secret
      : environment[variable];
  if (url === undefined || secret === undefined || !secretFormat.test(secret)) return null;
  return {
    name: row.name,
    url: url.replace(/\/+$/, ''),
    secret,
    eventsUrl: `${installation.publicUrl}/provider-events/${encodeURIComponent(row.name)}`,
    recordingHosts: (own.data.recording_hosts ?? [new URL(url).host]).map((host) => host.toLowerCase()),
  };
}
