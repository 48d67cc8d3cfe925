import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { migrateToLatest, ForeignDatabaseError, MigrationFailedError, postgresCode } from '@outdial/db';
import { prepareQueueBackend } from '@outdial/queues';
import { databaseEnv, loadEnv, queueEnv, EnvError } from '@outdial/runtime';
import { type McpCommandOptions, mcpOptions, runMcp } from '@outdial/mcp/command';
import { z } from 'zod';
import { addAgentChat, addAgentImport, addAgentList, addAgentTest } from './commands/agent.ts';
import { addAuditList } from './commands/audit-list.ts';
import { addCallerIdConfirm, addCallerIdReject, addCallerIdList } from './commands/caller-id.ts';
import { addCampaignBlocked, addCampaignHold } from './commands/campaign-hold.ts';
import { addCampaignCreate } from './commands/campaign-create.ts';
import { addCampaignWatch } from './commands/campaign-watch.ts';
import { addConsentImport, addConsentProof, addNumberChangeImport } from './commands/consent.ts';
import { addCampaignForecast } from './commands/campaign-forecast.ts';
import { addCampaignWhy } from './commands/campaign-why.ts';
import { addInit } from './commands/init.ts';
import { addKeyCreate, addKeyList, addKeyRevoke } from './commands/key.ts';
import { addOrgCreate, addOrgList, addOrgSet } from './commands/org.ts';
import { addPersonErase, addPersonExport } from './commands/person.ts';
import { addProviderCompare, addProviderList, addProviderSet } from './commands/provider.ts';
import { addDisclosure } from './commands/disclosure.ts';
import { addRules } from './commands/rules.ts';
import { addScrubList } from './commands/scrub-list.ts';
import { addSuppressAdd, addSuppressList, addSuppressRemove } from './commands/suppress.ts';
import { addSuppressImport } from './commands/suppress-import.ts';
import { addTokenCreate } from './commands/token-create.ts';
import { addUserCreate, addUserLink, addUserList } from './commands/user.ts';
import type { CliContext } from './cli-context.ts';
import { environmentOf } from './open-database.ts';
import { leaf } from './options.ts';
import { say } from './output.ts';
import { CliError, UsageError, type FileFault } from './cli-error.ts';
import { CodedError } from '@outdial/core';

function buildProgram(context: CliContext): Command {
  const program = new Command('outdial')
    .description('Sets up and operates an Outdial installation.')
    .version(readVersion(), '-V, --version', 'print the release')
    .exitOverride()
    // The caller of the program prints the error, once.
    .configureOutput({
      writeOut: (text) => context.out.write(text),
      writeErr: (text) => context.err.write(text),
      outputError: () => undefined,
    });
  program.hook('preAction', (_program, command) => {
    context.command = { name: nameOf(command), options: Object.keys(command.opts()) };
  });
  const group = (name: string, description: string) =>
    program.command(name).description(description).copyInheritedSettings(program);

  addInit(program, context);
  const org = group('org', 'organizations');
  addOrgCreate(org, context);
  addOrgSet(org, context);
  addOrgList(org, context);
  const user = group('user', 'users of an organization');
  addUserCreate(user, context);
  addUserLink(user, context);
  addUserList(user, context);
  const provider = group('provider', 'the carriers of calls');
  addProviderSet(provider, context);
  addProviderList(provider, context);
  addProviderCompare(provider, context);
  const callerId = group('caller-id', 'numbers that organizations have added to call from');
  addCallerIdList(callerId, context);
  addCallerIdConfirm(callerId, context);
  addCallerIdReject(callerId, context);
  const agent = group('agent', 'voice agents');
  addAgentImport(agent, context);
  addAgentList(agent, context);
  addAgentChat(agent, context);
  addAgentTest(agent, context);
  const key = group('key', 'API keys');
  addKeyCreate(key, context);
  addKeyList(key, context);
  addKeyRevoke(key, context);
  addTokenCreate(group('token', 'bearer tokens'), context);
  const suppress = group('suppress', 'numbers that are never dialed');
  addSuppressAdd(suppress, context);
  addSuppressImport(suppress, context);
  addSuppressList(suppress, context);
  addSuppressRemove(suppress, context);
  addDisclosure(group('disclosure', 'texts at the beginning of calls'), context);
  const consent = group('consent', 'consents to be called');
  addConsentImport(consent, context);
  addConsentProof(consent, context);
  addNumberChangeImport(consent, context);
  addRules(group('rules', 'the operator’s rules of law, for all organizations'), context);
  addScrubList(group('scrub-list', 'do-not-call lists of registries'), context);
  const person = group('person', 'data of a person');
  addPersonExport(person, context);
  addPersonErase(person, context);
  addAuditList(group('audit', 'the audit log'), context);
  const campaign = group('campaign', 'campaigns');
  addCampaignCreate(campaign, context);
  addCampaignWatch(campaign, context);
  addCampaignWhy(campaign, context);
  addCampaignForecast(campaign, context);
  addCampaignBlocked(campaign, context);
  addCampaignHold(campaign, context);
  addMcp(program, context);
  addMigrate(program, context);
  return program;
}

function nameOf(command: Command): string {
  return command.parent === null ? command.name() : `${nameOf(command.parent)} ${command.name()}`;
}

function addMigrate(program: Command, context: CliContext): void {
  leaf(program, 'migrate', 'migrate the database and the queues to this version; safe to run again').action(
    async (options: { json?: boolean }) => {
      const { database, queue } = loadEnv({ database: databaseEnv, queue: queueEnv }, environmentOf(context));
      const { ran: migrations, later } = await migrateToLatest({ databaseUrl: database.url });
      await prepareQueueBackend(queue);
      const why = later === null ? '' : `: a later release has migrated the database (${later})`;
      const lines =
        migrations.length === 0 ? [`nothing to do${why}`] : migrations.map((name) => `ran ${name}`);
      say(context, options, { migrations }, [...lines, `queues are ready on ${queue.kind}`]);
    },
  );
}

/** `outdial mcp`: uses the api like any caller, and never the database. */
function addMcp(program: Command, context: CliContext): void {
  const command = program.command('mcp').description('serve the API to MCP assistants, with your API key');
  mcpOptions(command, context.env).action(async (options: McpCommandOptions) => {
    const stop = new AbortController();
    const settled = context.interrupted(() => stop.abort());
    try {
      await runMcp(options, { env: context.env, err: context.err, stop: stop.signal });
    } catch (error) {
      throw new CliError('mcp_failed', error instanceof Error ? error.message : String(error));
    } finally {
      settled();
    }
  });
}

const manifest = z.object({ version: z.string() });

export function readVersion(): string {
  const file = new URL('../package.json', import.meta.url);
  return manifest.parse(JSON.parse(readFileSync(file, 'utf8'))).version;
}

/** Runs a command and returns the exit status: 0, 1 for a failure, 2 for wrong usage. Never throws. */
export async function runCli(args: readonly string[], context: CliContext): Promise<number> {
  try {
    await buildProgram(context).parseAsync([...args], { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    // A group without a command has shown its help.
    if (error instanceof CommanderError && error.code === 'commander.help') return 2;
    const failure = describe(error);
    context.err.write(args.includes('--json') ? `${JSON.stringify(failure.json)}\n` : failure.text);
    return failure.status;
  }
}

interface Failure {
  status: 1 | 2;
  text: string;
  json: object;
}

function describe(error: unknown): Failure {
  if (error instanceof CommanderError) {
    // Commander begins its messages with "error: ", and puts suggestions on a separate line.
    return failure(2, 'usage', error.message.replace(/^error: /, '').replaceAll('\n', ' '));
  }
  if (error instanceof UsageError) return failure(2, error.code, error.message);
  if (error instanceof CliError) return failure(1, error.code, error.message, error);
  if (error instanceof EnvError) return failure(2, error.code, error.faults.join('; '));
  if (error instanceof CodedError) return failure(1, error.code, error.publicMessage);
  return failure(1, ...unexpected(error));
}

function failure(
  status: 1 | 2,
  code: string,
  message: string,
  { faults, unit }: { faults: readonly FileFault[]; unit: string } = { faults: [], unit: 'line' },
): Failure {
  const lines = [
    `outdial: ${message}`,
    ...faults.map((fault) => `  ${unit} ${fault.line}: ${fault.message}`),
  ];
  const error = { code, message, ...(faults.length > 0 && { faults }) };
  return { status, text: `${lines.join('\n')}\n`, json: { error } };
}

const unreachableBecause: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'nothing listens at its host and port; is the server running?'],
  ['ENOTFOUND', 'its host name is unknown'],
  ['EAI_AGAIN', 'its host name cannot be looked up'],
  ['ETIMEDOUT', 'it does not answer; is a firewall between?'],
  ['EHOSTUNREACH', 'no network leads to its host'],
]);

/** Errors of the database and of the file system, in a line; never SQL. */
function unexpected(error: unknown): [code: string, message: string] {
  const code = postgresCode(error);
  if (code === '42P01') {
    return ['not_migrated', 'the database has no tables yet: run `outdial migrate` first'];
  }
  if (code === '3D000') return ['no_database', 'the database of DATABASE_URL does not exist'];
  if (code === '28P01' || code === '28000') {
    return ['database_refused', 'the database refused the user or password of DATABASE_URL'];
  }
  const unreachable = code === undefined ? undefined : unreachableBecause.get(code);
  if (unreachable !== undefined) {
    return ['database_unreachable', `the database of DATABASE_URL cannot be reached: ${unreachable}`];
  }
  if (error instanceof MigrationFailedError || error instanceof ForeignDatabaseError) {
    return [error.code, error.message];
  }
  return ['failed', error instanceof Error ? (error.message.split('\n')[0] ?? error.name) : String(error)];
}
