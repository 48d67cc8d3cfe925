import { z } from 'zod';
import { hostList, withoutNulls } from '../row-settings.ts';
import { gatewaySecrets, type GatewaySecrets } from './secrets.ts';

/** The settings of one gateway's adapter. */
export interface GatewaySettings {
  /** The name of the gateway's row in `providers`. */
  name: string;
  /** Without a trailing slash. */
  url: string;
  secrets: GatewaySecrets;
  eventsUrl: string;
  recordingHosts: readonly string[];
}

/** The gateway of the environment (`GATEWAY_URL`, `GATEWAY_SECRET`). */
export interface EnvironmentGateway {
  url: string;
  secret: string;
}

/** The name of a variable that holds the secret of one row. `GATEWAY_SECRET` itself belongs to the installation's own gateway. */
const secretVariable = z.string().regex(/^GATEWAY_SECRET_[A-Z0-9_]+$/, {
  error: 'must be the name of a variable that begins with GATEWAY_SECRET_',
});

export const gatewayRowSettings = z.object({
  url: z.url({ protocol: /^https?$/ }).optional(),
  // Secrets are not stored in the database. A row names the variable that holds its secret. The prefix keeps it from naming any other variable.
  secret_env: secretVariable.optional(),
  /** The variable that holds the previous secret during a rotation. */
  previous_secret_env: secretVariable.optional(),
  recording_hosts: hostList.optional(),
});

/** Merges a gateway's row with the environment; the row wins. Null if the URL or the secret is missing or invalid. */
export function gatewaySettings(
  row: { name: string; settings: Record<string, unknown> },
  installation: { gateway?: EnvironmentGateway | undefined; publicUrl: string },
  environment: Readonly<Record<string, string | undefined>>,
): GatewaySettings | null {
  const own = gatewayRowSettings.safeParse(withoutNulls(row.settings));
  if (!own.success) return null;
  const url = own.data.url ?? installation.gateway?.url;
  const secrets = gatewaySecrets(
    { name: row.name, secretEnv: own.data.secret_env, previousSecretEnv: own.data.previous_secret_env },
    { secret: installation.gateway?.secret },
    environment,
  );
  if (url === undefined || secrets === null) return null;
  return {
    name: row.name,
    url: url.replace(/\/+$/, ''),
    secrets,
    eventsUrl: `${installation.publicUrl}/provider-events/${encodeURIComponent(row.name)}`,
    recordingHosts: (own.data.recording_hosts ?? [new URL(url).host]).map((host) => host.toLowerCase()),
  };
}
