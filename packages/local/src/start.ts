import { join } from 'node:path';
import { once } from 'node:events';
import { connect, type Db, engineNow, findRunningCampaigns } from '@outdial/db';
import type { Shutdown } from '@outdial/runtime';
import { lockDataDirectory } from './data-directory/lock-data-directory.ts';
import { curlLines } from './demo/curl-lines.ts';
import { type DemoList, readList } from './demo/read-list.ts';
import { runDemo } from './demo/run-demo.ts';
import { type DemoOrganization, seedDemo } from './demo/seed-demo.ts';
import { openRunFiles } from './files/run-files.ts';
import { loadStackSecrets, type StackSecrets } from './files/stack-secrets.ts';
import type { StartOptions } from './options/parse-options.ts';
import { commandLineSettings, type StackEnvironment, stackEnvironment } from './stack/environment.ts';
import { chooseApiPort, type RunningStack, startDatabase, startStack } from './stack/start-stack.ts';

export interface StartContext {
  env: Readonly<Record<string, string | undefined>>;
  out: { write(text: string): unknown };
  isTerminal: boolean;
  signal: AbortSignal;
  /** Collects clean-up steps; the caller runs them. */
  shutdown: Shutdown;
}

/**
 * Everything that `npm start` does, from the data directory to the demo and on, until the signal is aborted.
 * Gives the exit status; throws `StartError`, `DataDirectoryError` and their like with one clear line, or the signal's reason.
 */
export async function start(options: StartOptions, context: StartContext): Promise<number> {
  const { shutdown, signal } = context;
  const say = (text: string) => context.out.write(`${text}\n`);
  const list = await readList(options.demo);
  const { port: askedPort, host } = options;
  const environmentWith = (secrets: StackSecrets) =>
    stackEnvironment({ source: context.env, secrets, port: askedPort, host, withDemo: list !== null });
  // Faults of the environment come before anything is made; the secrets come from the directory.
  const nothingKept = { jwtSecret: '-'.repeat(32), opsPassword: '-'.repeat(8) };
  environmentWith(nothingKept);

  const directory = lockDataDirectory(options.dataDir);
  shutdown.add('data directory', () => directory.release());
  const files = openRunFiles(directory.path);
  shutdown.add('run files', () => files.remove());
  const secrets = loadStackSecrets(directory.path);
  const environment = environmentWith(secrets);
  const port = await chooseApiPort(environment, files.wasKilled);
  signal.throwIfAborted();

  const database = await startDatabase({ directory, environment, shutdown, signal });
  const db = connect({ databaseUrl: database.url, poolMax: 2, applicationName: 'outdial-local' });
  shutdown.add('database', () => db.destroy());
  const demo = await seedDemo(db, { dataDir: directory.path, now: await engineNow(db) });
  say(whereTheDataIs({ demo, path: directory.path, isOwnDatabase: database.embedded === null }));
  await tellWhatGoesOn(db, { demo, wasKilled: files.wasKilled, say });
  signal.throwIfAborted();

  const stack = await startStack({
    directory,
    environment,
    database,
    port,
    shutdown,
    signal,
    notice: (text) => say(`! ${text}`),
    stream: options.verbose ? (name, line) => process.stderr.write(`${name} | ${line}\n`) : null,
  });
  // Removed again before anything ends.
  shutdown.add('run files', () => files.remove());
  files.announceDatabase({ database_url: database.url, settings: commandLineSettings(stack.variables) });
  files.announceReady({
    base_url: stack.baseUrl,
    organization_id: demo.organizationId,
    agent_id: demo.agentId,
    keys: demo.keys,
    ops: environment.ops,
  });
  say(`Outdial is ready on ${stack.baseUrl}`);

  const giveUp = new AbortController();
  const failed = stack.failed.then((error) => {
    giveUp.abort(error);
    throw error;
  });
  failed.catch(() => undefined);
  const ended = AbortSignal.any([signal, giveUp.signal]);
  const status = await demoStatus({ db, demo, list, stack, environment, options, context, signal: ended });
  if (options.exit) return status;
  say(['', ...usage({ stack, demo, environment, dataDir: directory.path }), ''].join('\n'));
  await untilAborted(ended);
  if (giveUp.signal.aborted) throw await stack.failed;
  return 0;
}

async function demoStatus(args: {
  db: Db;
  demo: DemoOrganization;
  list: DemoList | null;
  stack: RunningStack;
  environment: StackEnvironment;
  options: StartOptions;
  context: StartContext;
  signal: AbortSignal;
}): Promise<number> {
  const { list, environment, options, context } = args;
  if (list === null) return 0;
  const { isComplete } = await runDemo({
    db: args.db,
    demo: args.demo,
    list,
    baseUrl: args.stack.baseUrl,
    installationProvider: environment.settings.telephony.provider,
    maxCallSeconds: environment.settings.telephony.maxCallSeconds,
    mayWaitForEver: !options.exit,
    out: context.out,
    isTerminal: context.isTerminal,
    signal: args.signal,
  });
  return isComplete ? 0 : 1;
}

function whereTheDataIs(args: { demo: DemoOrganization; path: string; isOwnDatabase: boolean }): string {
  const where = args.isOwnDatabase
    ? `the database of DATABASE_URL (secrets and logs in ${args.path})`
    : args.path;
  return args.demo.isNew ? `Made a demo organization in ${where}` : `Going on with the data in ${where}`;
}

async function tellWhatGoesOn(
  db: Db,
  args: { demo: DemoOrganization; wasKilled: boolean; say: (text: string) => void },
): Promise<void> {
  if (args.wasKilled) args.say('The last run did not end in order; what it left is put right now.');
  const running = await findRunningCampaigns(db, { organizationId: args.demo.organizationId, limit: 3 });
  for (const { name } of running) {
    args.say(`Campaign “${name}” was running, and is dialed again.`);
  }
}

function usage(args: {
  stack: RunningStack;
  demo: DemoOrganization;
  environment: StackEnvironment;
  dataDir: string;
}): string[] {
  const { demo, environment } = args;
  const { baseUrl } = args.stack;
  const file = (name: string) => join(args.dataDir, name);
  const keys = demo.isNew ? demo.keys : { manager: '<manager key>', viewer: '<viewer key>' };
  return [
    `Serving on  ${baseUrl}   (Ctrl-C ends it)`,
    `  interface ${baseUrl}/docs`,
    `  queues    ${baseUrl}/ops/queues   user ${environment.ops.user}, password ${demo.isNew ? environment.ops.password : `in ${file('secrets.json')}, or OPS_PASSWORD`}`,
    `  logs      ${join(args.dataDir, 'logs')}`,
    // Shown once: a terminal's history and a screen are read by others too.
    ...(demo.isNew
      ? [
          'API keys, shown only once',
          ...Object.entries(demo.keys).map(([role, key]) => `  ${role.padEnd(8)}  ${key}`),
        ]
      : [`API keys    ${file('demo-keys.json')}`]),
    'To try: read an agent, have it call somebody, see its calls',
    ...curlLines({ baseUrl, agentId: demo.agentId, keys }).map((line) => `  ${line}`),
  ];
}

async function untilAborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}
