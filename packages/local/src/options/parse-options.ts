import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { UsageError } from '../start-error.ts';

export interface StartOptions {
  demo: DemoChoice;
  /** Exit after the demo's summary. */
  exit: boolean;
  /** The api's port; 0 for any free one, null for PORT. */
  port: number | null;
  /** The address on which the api listens; null for HOST. */
  host: string | null;
  /** Absolute. */
  dataDir: string;
  /** Show the logs of the processes. */
  verbose: boolean;
}

export type DemoChoice = { kind: 'none' } | { kind: 'shipped' } | { kind: 'own'; csv: string };

export const helpText = `Starts Outdial on this machine: Postgres, api, scheduler and worker, and a demo campaign on the simulated carrier.

  npm start [-- options]

  --exit           exit after the demo's summary, with status 0 if the counts add up
  --no-demo        serve without a demo
  --csv FILE       dial this list instead of the demo's: a column "phone", other columns are prompt values
  --port N         port of the api; 0 for any free one (default: PORT, else 3000)
  --host ADDRESS   address of the api; 0.0.0.0 for all addresses (default: HOST, else 127.0.0.1)
  --data-dir DIR   folder of all data (default: OUTDIAL_DATA_DIR, else .outdial)
  --verbose        show the logs of the processes
  --help           show this

Environment variables are described in .env.example. DATABASE_URL replaces the embedded database.
`;

/**
 * Reads the command line; null if it asks for help. Relative paths start at `folder`, and the default data directory is in `home`.
 * @throws UsageError
 */
export function parseOptions(
  args: readonly string[],
  context: { env: Readonly<Record<string, string | undefined>>; folder: string; home: string },
): StartOptions | null {
  const values = readArgs(args);
  if (values.help === true) return null;
  if (values['no-demo'] === true && values.csv !== undefined) {
    throw new UsageError('--no-demo and --csv cannot be combined');
  }
  const named = values['data-dir'] ?? notEmpty(context.env['OUTDIAL_DATA_DIR']);
  return {
    demo: demoChoice(values, context.folder),
    exit: values.exit === true,
    port: values.port === undefined ? null : readPort(values.port),
    host: values.host ?? null,
    dataDir: named === undefined ? resolve(context.home, '.outdial') : resolve(context.folder, named),
    verbose: values.verbose === true,
  };
}

function demoChoice(values: ReturnType<typeof readArgs>, folder: string): DemoChoice {
  if (values['no-demo'] === true) return { kind: 'none' };
  return values.csv === undefined ? { kind: 'shipped' } : { kind: 'own', csv: resolve(folder, values.csv) };
}

function readArgs(args: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        exit: { type: 'boolean' },
        'no-demo': { type: 'boolean' },
        csv: { type: 'string' },
        port: { type: 'string' },
        host: { type: 'string' },
        'data-dir': { type: 'string' },
        verbose: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    });
    for (const name of ['csv', 'port', 'host', 'data-dir'] as const) {
      if (values[name] === '') throw new UsageError(`--${name} needs a value`);
    }
    return values;
  } catch (error) {
    if (error instanceof UsageError || !(error instanceof Error)) throw error;
    // Node's first sentence names the fault. The rest is advice for other cases.
    throw new UsageError(error.message.split(/\. |\n/)[0]?.replace(/\.$/, '') ?? error.message);
  }
}

function readPort(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535) {
    throw new UsageError(`--port must be a whole number from 0 to 65535, not '${text}'`);
  }
  return port;
}

function notEmpty(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === '' ? undefined : text;
}
