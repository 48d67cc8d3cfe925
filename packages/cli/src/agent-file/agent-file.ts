import { agentConfig } from '@outdial/contracts';
import { z } from 'zod';

const freeForm = z.record(z.string(), z.unknown());

export const skill = z.strictObject({
  type: z.string().min(1).describe('The kind of skill, as your voice runtime names it, such as `transfer`'),
  exec_order: z
    .union([z.string(), z.number()], 'Input should be a text or a number, such as 1')
    .transform(String)
    .describe('Its position among the skills'),
  enabled: z.boolean().default(true),
  config: freeForm.default({}).describe('Passed to the voice runtime unchanged'),
});

export const prompt = z.strictObject({
  level: z.int().min(0).max(1_000_000).default(1),
  prompt: z
    .string()
    .min(1)
    .describe('The text, with `{{name}}` as a placeholder for a value of `prompt_params`'),
  explanation: z.string().default(''),
  mitigation: z.string().default(''),
  harmful_intents: z.array(z.unknown()).default([]),
});

/** An agent as a file, as read by `outdial agent import`. `docs/agent-file.schema.json` is generated from this schema. */
export const agentFile = z.strictObject({
  $schema: z.string().optional().describe('The address of this schema, for editors; not stored'),
  name: z.string().min(1).max(255).describe('The name of the agent to create or update'),
  config: agentConfig
    .default({})
    .describe(
      '`telephony.provider` and `telephony.from_phone` determine how its calls are placed, `voice` how it talks; other fields are for the voice runtime',
    ),
  skills: z.array(skill).default([]).describe('All skills of the agent'),
  prompts: z
    .array(prompt)
    .default([])
    .describe('Versions, oldest first; the last one is used. Existing versions are not added again'),
});

export type AgentFile = z.output<typeof agentFile>;
