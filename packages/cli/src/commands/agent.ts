import { judgeCarrierInstructions } from '@outdial/core';
import {
  AmbiguousAgentNameError,
  engineNow,
  findCarrierInstructionRules,
  importAgent,
  inTransaction,
  listAgents,
} from '@outdial/db';
import { singleBraceWarnings } from '@outdial/engine';
import type { Command } from 'commander';
import { parseAgentFile } from '../agent-file/parse-agent-file.ts';
import { CliError } from '../cli-error.ts';
import { inOrganization } from '../in-organization.ts';
import { environmentOf } from '../open-database.ts';
import { readText } from '../open-file.ts';
import { leaf, orgOption, parameter } from '../options.ts';
import { say, table } from '../output.ts';
import { knownEndpoints } from '../voice-endpoints.ts';
import type { CliContext } from '../cli-context.ts';
import type { ChatOptions } from '../talk/chat-with-agent.ts';
import type { TestOptions } from '../talk/test-agent.ts';

export function addAgentImport(agent: Command, context: CliContext): void {
  leaf(agent, 'import', 'create or update an agent from a YAML or JSON file')
    .argument('<file>')
    .option(...orgOption)
    .action(async (file: string, options: { json?: boolean; org?: string }) => {
      const read = parseAgentFile(readText(context, file), file, knownEndpoints(environmentOf(context)));
      const imported = await inOrganization(context, options, async (db, organizationId) => {
        const found = {
          organizationId,
          name: read.name,
          config: read.config,
          skills: read.skills,
          prompts: read.prompts,
        };
        const rules = await findCarrierInstructionRules(db, { organizationId, config: read.config });
        const refused = judgeCarrierInstructions(read.config, rules);
        if (refused !== null) {
          const field = ['config', ...refused.path].join('.');
          throw new CliError('voice_not_allowed', `${field}: ${refused.message}`);
        }
        return inTransaction(db, async (tx) => importAgent(tx, found, await engineNow(tx))).catch(
          (error: unknown) => {
            if (!(error instanceof AmbiguousAgentNameError)) throw error;
            throw new CliError(error.code, error.message);
          },
        );
      });
      const { agentId: id, isNew, promptsAdded } = imported;
      // The prompt that calls will use.
      const warnings = [
        ...read.warnings,
        ...singleBraceWarnings(read.prompts.at(-1)?.prompt, ['prompts']).map(({ msg }) => msg),
      ];
      const answer = { id, name: read.name, is_new: isNew, prompts_added: promptsAdded, warnings };
      say(context, options, answer, [
        `agent ${read.name} ${isNew ? 'created' : 'updated'}: ${id}`,
        `  skills ${read.skills.length} · new prompts ${promptsAdded}`,
        ...warnings.map((warning) => `warning: ${warning}`),
      ]);
    });
}

const agentsAtMost = 10_000;

export function addAgentList(agent: Command, context: CliContext): void {
  leaf(agent, 'list', 'list the agents of an organization, newest first')
    .option(...orgOption)
    .action(async (options: { json?: boolean; org?: string }) => {
      const found = await inOrganization(context, options, (db, organizationId) =>
        listAgents(db, { organizationId, page: { limit: agentsAtMost, after: null } }),
      );
      const agents = found.map(({ id, name, skills, prompt, created_at: createdAt }) => ({
        id,
        name,
        skills: skills.length,
        has_prompt: prompt !== null,
        created_at: createdAt,
      }));
      const rows = agents.map((one) => [
        one.id,
        one.name,
        `${one.skills} skills`,
        one.has_prompt ? 'has a prompt' : 'no prompt yet',
      ]);
      say(context, options, { agents }, table(['ID', 'NAME', 'SKILLS', 'PROMPT'], rows));
    });
}

export function addAgentChat(agent: Command, context: CliContext): void {
  leaf(agent, 'chat', 'talk with an agent by text: a line for each turn, until the agent or the input ends')
    .argument('<agent>', 'its name or id')
    .option(...orgOption)
    .option('--param <name=value>', 'a value for a placeholder of the prompt; may be repeated', parameter)
    .action(async (named: string, options: ChatOptions) => {
      // Only this command and `agent test` load voice, which is slow to load.
      const { chatWithAgent } = await import('../talk/chat-with-agent.ts');
      await chatWithAgent(context, options, named);
    });
}

export function addAgentTest(agent: Command, context: CliContext): void {
  leaf(
    agent,
    'test',
    'play the scenarios of a YAML or JSON file with an agent; fails if an expectation fails',
  )
    .argument('<file>')
    .option(...orgOption)
    .option('--only <text>', 'scenarios whose name contains this')
    .action(async (file: string, options: TestOptions) => {
      // Only this command and `agent chat` load voice, which is slow to load.
      const { testAgent } = await import('../talk/test-agent.ts');
      await testAgent(context, options, file);
    });
}
