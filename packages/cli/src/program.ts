import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { migrateToLatest } from '@outdial/db';
import { prepareQueueBackend } from '@outdial/queues';
import { databaseEnv, loadEnv, queueEnv } from '@outdial/runtime';
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
import { CliError } from './cli-error.ts';

/** The whole command line. Each group of commands is a file. */
export function buildProgram(context: CliContext): Command {
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
      const migrations = await migrateToLatest({ databaseUrl: database.url });
      await prepareQueueBackend(queue);
      const lines = migrations.length === 0 ? ['nothing to do'] : migrations.map((name) => `ran ${name}`);
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
