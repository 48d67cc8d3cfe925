export { addSkill, type NewSkill } from './add-skill.ts';
export { createAgent, type NewAgent } from './create-agent.ts';
export { deleteAgent, type DeleteAgentResult } from './delete-agent.ts';
export { type AgentRow, findAgent } from './find-agent.ts';
export {
  AmbiguousAgentNameError,
  type AgentImport,
  findAgentsByName,
  importAgent,
  type ImportedAgent,
} from './import-agent.ts';
export { listAgents, type ListedAgentRow } from './list-agents.ts';
export { addPrompt, listPrompts, type NewPrompt, type PromptRow } from './prompts.ts';
export { type AgentChange, updateAgent } from './update-agent.ts';
export * from './find-agent-config.ts';
