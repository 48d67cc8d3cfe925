import { listAgents } from '@outdial/db';
import type { Command } from 'commander';
import type { CliContext } from '../cli-context.ts';
import { inOrganization } from '../in-organization.ts';
import { leaf, orgOption } from '../options.ts';
import { say, table } from '../output.ts';

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
