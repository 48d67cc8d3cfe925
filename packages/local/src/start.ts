import { once } from 'node:events';
import { join } from 'node:path';
import { connect, engineNow, findRunningCampaigns } from '@outdial/db';
import { misspeltMessage, type Shutdown } from '@outdial/runtime';
import { lockDataDirectory } from './data-directory/lock-data-directory.ts';
import { curlLines } from './demo/curl-lines.ts';
import { readList } from './demo/read-list.ts';
import { runDemo } from './demo/run-demo.ts';
import { type DemoOrganization, seedDemo } from './demo/seed-demo.ts';
import { openRunFiles } from './files/run-files.ts';
import { loadStackSecrets, type StackSecrets } from './files/stack-secrets.ts';
import type { StartOptions } from './options/parse-options.ts';
import { chooseApiPort } from './stack/api-port.ts';
import { commandLineSettings, type StackEnvironment, stackEnvironment } from './stack/environment.ts';
import { type RunningStack, startDatabase, startStack } from './stack/start-stack.ts';

export interface StartContext {
  env: Readonly<Record<string, string | undefined>>;
  out: { write(text: string): unknown };
  isTerminal: boolean;
  signal: AbortSignal;
  /** Collects clean-up steps; the caller runs them. */
  shutdown: Shutdown;
}

/**
 * Does everything that `npm start` does, until the signal is aborted. Returns the exit status.
 * @throws StartError or the signal's reason
 */
export async function start(options: StartOptions, context: StartContext): Promise<number> {
  const { shutdown, signal } = context;
  const say = (text: string) => context.out.write(`${text}\n`);
  const list = await readList(options.demo);
  const environmentWith = (secrets: StackSecrets) =>
    stackEnvironment({ source: context.env, secrets, port: options.port, host: options.host });
  // Reports faults of the environment before it creates the directory, which holds the real secrets.
  environmentWith({ jwtSecret: '-'.repeat(32), opsPassword: '-'.repeat(8) });

  const directory = lockDataDirectory(options.dataDir);
  shutdown.add('data directory', () => directory.release());
  const files = openRunFiles(directory.path);
  const secrets = loadStackSecrets(directory.path);
  const environment = environmentWith(secrets);
  for (const misspelt of environment.misspelt) say(`! ${misspeltMessage(misspelt)}`);
  const port = await chooseApiPort(environment.settings.http.port, files.wasKilled);
  signal.throwIfAborted();

  const database = await startDatabase({ directory, environment, shutdown, signal });
  const db = connect({ databaseUrl: database.url, poolMax: 2, applicationName: 'outdial-local' });
  shutdown.add('database', () => db.destroy());
  const demo = await seedDemo(db, { dataDir: directory.path, now: await engineNow(db) });
  const where =
    database.embedded === null
      ? `the database of DATABASE_URL (secrets and logs in ${directory.path})`
      : directory.path;
  say(demo.isNew ? `Created a demo organization in ${where}` : `Using the data in ${where}`);
  if (files.wasKilled) say('The last run was killed; Outdial repairs what it interrupted.');
  const running = await findRunningCampaigns(db, { organizationId: demo.organizationId, limit: 3 });
  for (const { name } of running) say(`Campaign “${name}” was running, and continues.`);
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

  const ended = AbortSignal.any([signal, stack.failed]);
  let status = 0;
  if (list !== null) {
    const { provider, simulator } = environment.settings.telephony;
    const { isComplete } = await runDemo({
      db,
      demo,
      list,
      baseUrl: stack.baseUrl,
      installationProvider: provider,
      simulator,
      mayWaitForEver: !options.exit,
      out: context.out,
      isTerminal: context.isTerminal,
      signal: ended,
    });
    status = isComplete ? 0 : 1;
  }
  if (options.exit) return status;
  say(['', ...usage({ stack, demo, environment, dataDir: directory.path }), ''].join('\n'));
  if (!ended.aborted) await once(ended, 'abort');
  stack.failed.throwIfAborted();
  return 0;
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
    // Shown only once, because others may see the screen or the terminal's history.
    ...(demo.isNew
      ? [
          'API keys, shown only once',
          ...Object.entries(demo.keys).map(([role, key]) => `  ${role.padEnd(8)}  ${key}`),
        ]
      : [`API keys    ${file('demo-keys.json')}`]),
    'To try: read an agent, let it call a number, list its calls',
    ...curlLines({ baseUrl, agentId: demo.agentId, keys }).map((line) => `  ${line}`),
  ];
}
