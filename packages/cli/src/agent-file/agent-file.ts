import { agentConfig } from '@outdial/contracts';
import { z } from 'zod';

const freeForm = z.record(z.string(), z.unknown());

export const skill = z.strictObject({
  type: z.string().min(1).describe('The type of skill, as your voice runtime names it, such as `transfer`.'),
  exec_order: z
    .union([z.string(), z.number()], 'Input should be a string or a number, such as 1')
    .transform(String)
    .describe('The position of the skill in the order of execution.'),
  enabled: z.boolean().default(true),
  config: freeForm.default({}).describe('Settings that are passed to the voice runtime unchanged.'),
});

export const prompt = z.strictObject({
  level: z.int().min(0).max(1_000_000).default(1),
  prompt: z
    .string()
    .min(1)
    .describe('The text of the prompt. `{{name}}` is a placeholder for a value from `prompt_params`.'),
  explanation: z.string().default(''),
  mitigation: z.string().default(''),
  harmful_intents: z.array(z.unknown()).default([]),
});

/** An agent as a file, as read by `outdial agent import`. `docs/agent-file.schema.json` is generated from this schema. */
export const agentFile = z.strictObject({
  $schema: z.string().optional().describe('The URL of this schema, for editors. Not stored.'),
  name: z.string().min(1).max(255).describe('The name of the agent to create or update.'),
  config: agentConfig
    .default({})
    .describe(
      'The settings of the agent. `telephony.provider` and `telephony.from_phone` determine how its calls are placed; `voice` determines how it talks. Other fields are for the voice runtime.',
    ),
  skills: z.array(skill).default([]).describe('All skills of the agent.'),
  prompts: z
    .array(prompt)
    .default([])
    .describe(
      'The versions of the prompt, oldest first. The last one is used. Existing versions are not added again.',
    ),
});

export type AgentFile = z.output<typeof agentFile>;
