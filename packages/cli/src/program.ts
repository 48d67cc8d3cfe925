import { Command } from 'commander';
import { addAgentChat } from './commands/agent-chat.ts';
import { addAgentImport } from './commands/agent-import.ts';
import { addAgentList } from './commands/agent-list.ts';
import { addAgentTest } from './commands/agent-test.ts';
import { addAuditList } from './commands/audit-list.ts';
import { addCallerIdConfirm, addCallerIdReject } from './commands/caller-id-confirm.ts';
import { addCallerIdList } from './commands/caller-id-list.ts';
import { addCampaignBlocked } from './commands/campaign-blocked.ts';
import { addCampaignCreate } from './commands/campaign-create.ts';
import { addCampaignHold } from './commands/campaign-hold.ts';
import { addCampaignWatch } from './commands/campaign-watch.ts';
import { addConsentImport } from './commands/consent-import.ts';
import { addConsentProof } from './commands/consent-proof.ts';
import { addCampaignForecast } from './commands/campaign-forecast.ts';
import { addCampaignWhy } from './commands/campaign-why.ts';
import { addInit } from './commands/init.ts';
import { addKeyCreate } from './commands/key-create.ts';
import { addKeyList } from './commands/key-list.ts';
import { addKeyRevoke } from './commands/key-revoke.ts';
import { addMcp } from './commands/mcp.ts';
import { addMigrate } from './commands/migrate.ts';
import { addNumberChangeImport } from './commands/number-change-import.ts';
import { addOrgCreate } from './commands/org-create.ts';
import { addOrgList } from './commands/org-list.ts';
import { addOrgSet } from './commands/org-set.ts';
import { addPersonErase } from './commands/person-erase.ts';
import { addPersonExport } from './commands/person-export.ts';
import { addProviderCompare } from './commands/provider-compare.ts';
import { addProviderList } from './commands/provider-list.ts';
import { addProviderSet } from './commands/provider-set.ts';
import { addDisclosure } from './commands/disclosure.ts';
import { addRules } from './commands/rules.ts';
import { addScrubList } from './commands/scrub-list.ts';
import { addSuppressAdd } from './commands/suppress-add.ts';
import { addSuppressImport } from './commands/suppress-import.ts';
import { addSuppressList } from './commands/suppress-list.ts';
import { addSuppressRemove } from './commands/suppress-remove.ts';
import { addTokenCreate } from './commands/token-create.ts';
import { addUserCreate } from './commands/user-create.ts';
import { addUserLink } from './commands/user-link.ts';
import { addUserList } from './commands/user-list.ts';
import type { CliContext } from './cli-context.ts';
import { readVersion } from './version.ts';

/** The whole command line. Each command is a file. */
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
