import type { Agent } from '@outdial/contracts';
import type { AgentRow } from '@outdial/db';

export function agentView(row: AgentRow): Agent {
  const owner = { agent_id: row.id, organization_id: row.organization_id };
  return {
    id: row.id,
    name: row.name,
    organization: { name: row.organization_name },
    organization_id: row.organization_id,
    skills: row.skills.map((skill) => ({ ...skill, agent_id: row.id })),
    latest_prompt: row.prompt === null ? null : { ...row.prompt, ...owner },
    config: row.config,
  };
}
