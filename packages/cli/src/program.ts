import { Command } from 'commander';
import { addAgentImport } from './commands/agent-import.ts';
import { addCampaignCreate } from './commands/campaign-create.ts';
import { addCampaignWatch } from './commands/campaign-watch.ts';
import { addInit } from './commands/init.ts';
import { addKeyCreate } from './commands/key-create.ts';
import { addKeyList } from './commands/key-list.ts';
import { addKeyRevoke } from './commands/key-revoke.ts';
import { addMigrate } from './commands/migrate.ts';
import { addOrgCreate } from './commands/org-create.ts';
import { addOrgSet } from './commands/org-set.ts';
import { addProviderSet } from './commands/provider-set.ts';
import { addSuppressAdd } from './commands/suppress-add.ts';
import { addSuppressImport } from './commands/suppress-import.ts';
import { addSuppressList } from './commands/suppress-list.ts';
import { addTokenCreate } from './commands/token-create.ts';
import { addUserCreate } from './commands/user-create.ts';
import type { CliContext } from './cli-context.ts';

/** The whole command line; one file a command. */
export function buildProgram(context: CliContext): Command {
  const program = new Command('outdial')
    .description('Sets up and operates an Outdial installation.')
    .exitOverride()
    // What was wrong is said once, by whoever runs the program.
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
  addUserCreate(group('user', 'users of an organization'), context);
  addProviderSet(group('provider', 'what carries calls'), context);
  addAgentImport(group('agent', 'voice agents'), context);
  const key = group('key', 'API keys');
  addKeyCreate(key, context);
  addKeyList(key, context);
  addKeyRevoke(key, context);
  addTokenCreate(group('token', 'bearer tokens'), context);
  const suppress = group('suppress', 'numbers that are never dialed');
  addSuppressAdd(suppress, context);
  addSuppressImport(suppress, context);
  addSuppressList(suppress, context);
  const campaign = group('campaign', 'campaigns');
  addCampaignCreate(campaign, context);
  addCampaignWatch(campaign, context);
  addMigrate(program, context);
  return program;
}

function nameOf(command: Command): string {
  return command.parent === null ? command.name() : `${nameOf(command.parent)} ${command.name()}`;
}
