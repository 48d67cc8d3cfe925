import { createHmac } from 'node:crypto';
import { telephonyEnv } from '@outdial/providers/environment';
import {
  authEnv,
  databaseEnv,
  engineEnv,
  EnvError,
  extractionEnv,
  exitBadEnvironment,
  filesEnv,
  healthEnv,
  httpEnv,
  loadEnv,
  logEnv,
  type Misspelt,
  misspeltVariables,
  opsEnv,
  queueEnv,
  readVariableFiles,
  type SettingsOf,
  tracingEnv,
  uploadEnv,
} from '@outdial/runtime';
import type { StackSecrets } from '../files/stack-secrets.ts';
import { StartError } from '../start-error.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const everything = {
  database: databaseEnv,
  queue: queueEnv,
  http: httpEnv,
  auth: authEnv,
  ops: opsEnv,
  telephony: telephonyEnv,
  engine: engineEnv,
  files: filesEnv,
  upload: uploadEnv,
  extraction: extractionEnv,
  health: healthEnv,
  log: logEnv,
  tracing: tracingEnv,
};

/** A placeholder for the embedded database, whose address is only known once it runs. */
const databasePlaceholder = 'postgresql://embedded/outdial';

export interface StackEnvironment {
  /** The environment of the processes, except for values that are only known at run time. */
  variables: Record<string, string | undefined>;
  settings: SettingsOf<typeof everything>;
  /** The user's own database; null for the embedded one. */
  databaseUrl: string | null;
  ops: { user: string; password: string };
  /** Variables with a typing error in their names, which have no effect. */
  misspelt: Misspelt[];
  /** Whether model endpoints are configured, so that a voice process can run. */
  talks: boolean;
}

/**
 * The user's environment with defaults for the local stack.
 * @throws StartError that names every fault
 */
export function stackEnvironment(args: {
  source: Environment;
  secrets: StackSecrets;
  port: number | null;
  host: string | null;
}): StackEnvironment {
  const { secrets } = args;
  const variables: Record<string, string | undefined> = {};
  const source = namingFaults(() => readVariableFiles(args.source, Object.values(everything)));
  for (const [name, value] of Object.entries(source)) {
    // An empty variable counts as unset.
    if (value !== undefined && value.trim() !== '') variables[name] = value;
  }
  if (args.port !== null) variables['PORT'] = String(args.port);
  if (args.host !== null) variables['HOST'] = args.host;
  if (variables['JWKS_URL'] === undefined) variables['JWT_SECRET'] ??= secrets.jwtSecret;
  variables['OPS_USER'] ??= 'ops';
  variables['OPS_PASSWORD'] ??= secrets.opsPassword;

  const talks = Object.keys(variables).some((name) => /^VOICE_ENDPOINT_\w+_URL$/.test(name));
  // Derived, so that it is the same at each start.
  const voiceSecret = createHmac('sha256', secrets.jwtSecret).update('voice-token').digest('base64url');
  if (talks) variables['VOICE_TOKEN_SECRET'] ??= voiceSecret;

  const ownDatabase = variables['DATABASE_URL'] !== undefined;
  const settings = namingFaults(() =>
    loadEnv(everything, { ...variables, ...(!ownDatabase && { DATABASE_URL: databasePlaceholder }) }),
  );
  return {
    variables,
    settings,
    databaseUrl: ownDatabase ? settings.database.url : null,
    misspelt: misspeltVariables(args.source, Object.values(everything)),
    ops: { user: variables['OPS_USER'], password: variables['OPS_PASSWORD'] },
    talks,
  };
}

function namingFaults<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof EnvError)) throw error;
    throw new StartError('invalid_environment', `The environment is invalid: ${error.faults.join('; ')}`, {
      exitStatus: exitBadEnvironment,
    });
  }
}

/** The variables with which the `outdial` command line acts like the processes. */
export function commandLineSettings(variables: Environment): Record<string, string> {
  const read = [databaseEnv, queueEnv, telephonyEnv, authEnv].flatMap((part) => Object.keys(part.variables));
  const settings: Record<string, string> = {};
  for (const name of read) {
    const value = variables[name];
    if (name !== 'DATABASE_URL' && value !== undefined) settings[name] = value;
  }
  return settings;
}
