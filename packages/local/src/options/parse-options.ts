import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { UsageError } from '../start-error.ts';

export interface StartOptions {
  demo: DemoChoice;
  /** End after the summary. */
  exit: boolean;
  /** Of the api; 0 for any free one; null leaves it to PORT. */
  port: number | null;
  /** On which the api listens; null leaves it to HOST. */
  host: string | null;
  /** Absolute. */
  dataDir: string;
  /** Show what the processes log. */
  verbose: boolean;
}

export type DemoChoice = { kind: 'none' } | { kind: 'shipped' } | { kind: 'own'; csv: string };

export const helpText = `Starts Outdial on this machine: Postgres, api, scheduler and worker, and a demo campaign on the simulated carrier.

  npm start [-- options]

  --exit           end after the demo's summary, with status 0 if it adds up
  --no-demo        only serve
  --csv FILE       run this list instead of the demo's: a column "phone", the others are values for the prompt
  --port N         port of the api; 0 takes a free one (default: PORT, else 3000)
  --host ADDRESS   address of the api; 0.0.0.0 for all of this machine's (default: HOST, else 127.0.0.1)
  --data-dir DIR   where everything is kept (default: OUTDIAL_DATA_DIR, else .outdial)
  --verbose        show what the processes log
  --help           show this

The environment is read as .env.example says; with DATABASE_URL that database is used instead of the embedded one.
`;

/**
 * Reads the command line. `folder` is where a person's relative paths begin, `home` where the default data directory is.
 * Null if help was asked for.
 * @throws UsageError
 */
export function parseOptions(
  args: readonly string[],
  context: { env: Readonly<Record<string, string | undefined>>; folder: string; home: string },
): StartOptions | null {
  const values = readArgs(args);
  if (values.help === true) return null;
  if (values['no-demo'] === true && values.csv !== undefined) {
    throw new UsageError('--no-demo and --csv do not go together');
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
    // Node's first sentence names the fault; what follows is advice for other cases.
    throw new UsageError(error.message.split(/\. |\n/)[0]?.replace(/\.$/, '') ?? error.message);
  }
}

function readPort(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535) {
    throw new UsageError(`--port must be a whole number from 0 to 65535, and is '${text}'`);
  }
  return port;
}

function notEmpty(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === '' ? undefined : text;
}
