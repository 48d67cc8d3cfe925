import { agentConfig } from '@outdial/contracts';
import { z } from 'zod';

const freeForm = z.record(z.string(), z.unknown());

export const skill = z.strictObject({
  type: z
    .string()
    .min(1)
    .describe('What the skill does, in the words of your voice runtime, such as `transfer`'),
  exec_order: z.union([z.string(), z.number()]).transform(String).describe('Its place among the skills'),
  enabled: z.boolean().default(true),
  config: freeForm.default({}).describe('Handed to the voice runtime as it is'),
});

export const prompt = z.strictObject({
  level: z.int().min(0).max(1_000_000).default(1),
  prompt: z.string().min(1).describe('With `{{name}}` where a value of `prompt_params` goes'),
  explanation: z.string().default(''),
  mitigation: z.string().default(''),
  harmful_intents: z.array(z.unknown()).default([]),
});

/** An agent as a file: what `outdial agent import` reads. `docs/agent-file.schema.json` is written from this. */
export const agentFile = z.strictObject({
  $schema: z.string().optional().describe('Where editors find this schema; not kept'),
  name: z.string().min(1).max(255).describe('An agent of this name is brought to what the file says'),
  config: agentConfig
    .default({})
    .describe(
      '`telephony.provider` and `telephony.from_phone` say how its calls are placed, `voice` how it talks; the rest is the voice runtime’s',
    ),
  skills: z.array(skill).default([]).describe('All skills of the agent'),
  prompts: z
    .array(prompt)
    .default([])
    .describe(
      'Versions, oldest first; the last one is spoken. Those that are there already are not added again',
    ),
});

export type AgentFile = z.output<typeof agentFile>;
