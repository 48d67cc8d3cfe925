import { z } from 'zod';
import { hostList, withoutNulls } from '../row-settings.ts';

/** The settings of one Asterisk's adapter. */
export interface AsteriskSettings {
  /** The name of the Asterisk's row in `providers`. */
  name: string;
  /** The URL of the HTTP server, without `/ari` and without a trailing slash. */
  url: string;
  user: string;
  password: string;
  /** The dial string, such as `PJSIP/{number}@trunk`: `{number}` has the plus, `{digits}` does not. */
  endpoint: string;
  /** The context of Outdial's dialplan (examples/asterisk/outdial.conf). */
  context: string;
  /** The caller id of agents that name none. */
  callerId: string | null;
  /** `extension@context`, or the `ws(s)://` URL of a voice runtime. An agent may name its own. */
  runtime: string | null;
  /** Hosts that the runtime URLs of agents may have: `host`, `host:port` or `*.domain`. */
  runtimeHosts: readonly string[];
  /** Contexts of the dialplan that the runtimes of agents may have, besides that of the row's own. */
  runtimeContexts: readonly string[];
  /** The audio format on the websocket to a runtime, by Asterisk's name. */
  mediaFormat: string;
  /** Arguments of Asterisk's AMD application; `''` for its defaults; null for no detection. */
  machineDetection: string | null;
  /** What to do with a call that a machine has answered. */
  onMachine: 'hang_up' | 'continue';
  records: boolean;
  /** Whether pressed keys are stored in the call's events. */
  keepsDigits: boolean;
}

export interface EnvironmentAsterisk {
  url: string;
  user: string;
  password: string;
  endpoint?: string | undefined;
  runtime?: string | undefined;
}

const defaultPasswordVariable = 'ASTERISK_PASSWORD';
/** A name that is safe in a dialplan, a URL and a list of arguments. */
const dialplanName = /^[A-Za-z0-9_-]{1,80}$/;

const contextList = z.preprocess(
  (value) => (typeof value === 'string' ? value.split(',').map((context) => context.trim()) : value),
  z.array(z.string().regex(dialplanName)).max(100),
);

const flag = z.union([z.boolean(), z.enum(['on', 'off']).transform((word) => word === 'on')]);

/** `off`, `detect`, or the arguments of the AMD application. `message_end`, which other providers support, means `detect` here. */
export const machineDetection = z
  .string()
  .regex(/^(off|detect|message_end|[0-9,]{1,100})$/)
  .transform((word) => {
    if (word === 'off') return null;
    return /\d/.test(word) ? word : '';
  });

export const onMachine = z.enum(['hang_up', 'continue']);

export const asteriskRowSettings = z.object({
  url: z.url({ protocol: /^https?$/ }).optional(),
  user: z.string().min(1).max(200).optional(),
  // Secrets are not stored in the database. A row names the variable that holds its secret. The prefix keeps it from naming any other variable.
  password_env: z
    .string()
    .regex(/^ASTERISK_PASSWORD(_[A-Z0-9_]+)?$/)
    .optional(),
  endpoint: z
    .string()
    .max(200)
    .regex(/^[A-Za-z0-9]+\/[^&,]*\{(number|digits)\}[^&,]*$/)
    .optional(),
  context: z.string().regex(dialplanName).optional(),
  caller_id: z
    .string()
    .regex(/^\+?[0-9]{3,20}$/)
    .optional(),
  runtime: z.string().max(2_000).optional(),
  runtime_hosts: hostList.optional(),
  runtime_contexts: contextList.optional(),
  media_format: z
    .string()
    .regex(/^[a-z0-9]{1,20}$/)
    .optional(),
  machine_detection: machineDetection.optional(),
  on_machine: onMachine.optional(),
  record: flag.optional(),
  dtmf: flag.optional(),
});

/** Merges an Asterisk's row with the environment; the row wins. Null if a setting is invalid, or if the URL, user, password or endpoint is missing. */
export function asteriskSettings(
  row: { name: string; settings: Record<string, unknown> },
  installation: EnvironmentAsterisk | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): AsteriskSettings | null {
  const parsed = asteriskRowSettings.safeParse(withoutNulls(row.settings));
  if (!parsed.success) return null;
  const own = parsed.data;
  const variable = own.password_env ?? defaultPasswordVariable;
  const password =
    variable === defaultPasswordVariable && installation ? installation.password : environment[variable];
  const url = own.url ?? installation?.url;
  const user = own.user ?? installation?.user;
  const endpoint = own.endpoint ?? installation?.endpoint;
  if (
    !url ||
    !user ||
    !password ||
    !endpoint ||
    !asteriskRowSettings.shape.endpoint.safeParse(endpoint).success
  ) {
    return null;
  }
  return {
    name: row.name,
    url: url.replace(/\/+$/, '').replace(/\/ari$/, ''),
    user,
    password,
    endpoint,
    context: own.context ?? 'outdial',
    callerId: own.caller_id ?? null,
    runtime: own.runtime ?? installation?.runtime ?? null,
    runtimeHosts: (own.runtime_hosts ?? []).map((host) => host.toLowerCase()),
    runtimeContexts: own.runtime_contexts ?? [],
    mediaFormat: own.media_format ?? 'ulaw',
    machineDetection: own.machine_detection ?? null,
    onMachine: own.on_machine ?? 'hang_up',
    records: own.record ?? true,
    keepsDigits: own.dtmf ?? true,
  };
}
