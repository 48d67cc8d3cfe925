import { z } from 'zod';
import { call } from './call.ts';
import { freeForm, uuid } from './fields.ts';

export const skill = z
  .object({
    id: uuid,
    agent_id: uuid,
    type: z.string(),
    exec_order: z.string(),
    enabled: z.boolean(),
    config: freeForm,
  })
  .meta({ id: 'Skill' });

export const latestPrompt = z
  .object({
    level: z.int(),
    prompt: z.string(),
    explanation: z.string(),
    mitigation: z.string(),
    harmful_intents: z.array(z.unknown()),
    agent_id: uuid,
    organization_id: uuid,
  })
  .meta({ id: 'LatestPrompt' });

export const agent = z
  .object({
    id: uuid,
    name: z.string(),
    organization: z.object({ name: z.string() }),
    organization_id: uuid,
    skills: z.array(skill),
    latest_prompt: latestPrompt.nullable().describe('Null while the agent has no prompt'),
    config: freeForm,
  })
  .meta({ id: 'Agent' });

export const agentCalls = z
  .object({
    id: uuid,
    name: z.string(),
    organization_id: uuid,
    config: freeForm,
    calls: z.array(call).describe('Newest first'),
  })
  .meta({ id: 'AgentCalls' });

export type Skill = z.output<typeof skill>;
export type LatestPrompt = z.output<typeof latestPrompt>;
export type Agent = z.output<typeof agent>;
export type AgentCalls = z.output<typeof agentCalls>;
