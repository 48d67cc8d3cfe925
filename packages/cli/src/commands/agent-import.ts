import { judgeCarrierInstructions } from '@outdial/core';
import {
  AmbiguousAgentNameError,
  engineNow,
  findCarrierInstructionRules,
  importAgent,
  inTransaction,
} from '@outdial/db';
import { singleBraceWarnings } from '@outdial/engine';
import type { Command } from 'commander';
import { parseAgentFile } from '../agent-file/parse-agent-file.ts';
import { CliError } from '../cli-error.ts';
import { inOrganization } from '../in-organization.ts';
import { environmentOf } from '../open-database.ts';
import { readText } from '../open-file.ts';
import { leaf, orgOption } from '../options.ts';
import { say } from '../output.ts';
import { knownEndpoints } from '../voice-endpoints.ts';
import type { CliContext } from '../cli-context.ts';

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
