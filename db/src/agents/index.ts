export { addPrompt, type NewPrompt } from './add-prompt.ts';
export { addSkill, type NewSkill } from './add-skill.ts';
export { createAgent, type NewAgent } from './create-agent.ts';
export { type AgentRow, findAgent } from './find-agent.ts';
export {
  AmbiguousAgentNameError,
  type AgentImport,
  findAgentsByName,
  importAgent,
  type ImportedAgent,
} from './import-agent.ts';
