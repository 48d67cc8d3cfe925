import { createHash, createHmac } from 'node:crypto';

/** The secrets with which a gateway and Outdial sign. */
export interface GatewaySecrets {
  /** `whsec_` followed by base64. */
  current: string;
  /** The previous secret, during a rotation: its signatures are still accepted, and requests are signed with both. */
  previous: string | null;
}

/** The row that is created from `GATEWAY_URL` and `GATEWAY_SECRET`. Only this row uses that secret directly. */
export const installationGateway = 'gateway';

const secretFormat = /^whsec_[A-Za-z0-9+/]{32,}={0,2}$/;

/**
 * The secrets of a row. A row may name the variables that hold them. Otherwise the installation's own row uses `GATEWAY_SECRET`, and each other row
 * uses a secret derived from it and the row's name, so that no gateway can sign for another. Null if there is no secret.
 */
export function gatewaySecrets(
  row: { name: string; secretEnv?: string | undefined; previousSecretEnv?: string | undefined },
  installation: { secret?: string | undefined },
  environment: Readonly<Record<string, string | undefined>>,
): GatewaySecrets | null {
  if (row.secretEnv !== undefined) {
    return secretsOf(
      environment[row.secretEnv],
      row.previousSecretEnv === undefined ? undefined : environment[row.previousSecretEnv],
    );
  }
  const current = installation.secret ?? environment['GATEWAY_SECRET'];
  const previous = environment[row.previousSecretEnv ?? 'GATEWAY_SECRET_PREVIOUS'];
  if (row.name === installationGateway) return secretsOf(current, previous);
  return secretsOf(derived(current, row.name), derived(previous, row.name));
}

/** An id that tells two secrets apart without revealing them. */
export function secretId({ current }: GatewaySecrets): string {
  return createHash('sha256').update(`outdial secret id\0${current}`).digest('base64url');
}

function secretsOf(current: string | undefined, previous: string | undefined): GatewaySecrets | null {
  if (current === undefined || !secretFormat.test(current)) return null;
  return { current, previous: previous !== undefined && secretFormat.test(previous) ? previous : null };
}

function derived(secret: string | undefined, name: string): string | undefined {
  if (secret === undefined || !secretFormat.test(secret)) return undefined;
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  return `whsec_${createHmac('sha256', key).update(`outdial gateway\0${name}`).digest('base64')}`;
}
