import { z } from 'zod';
import { agentConfig } from '../voice/agent-config.ts';
import { call } from './call.ts';
import { exampleIds } from './example-values.ts';
import { dateTime, freeForm, freeFormBytesAtMost, jsonBytes, uuid } from './fields.ts';

export const skill = z
  .object({
    id: uuid,
    agent_id: uuid,
    type: z.string(),
    exec_order: z.string(),
    enabled: z.boolean(),
    config: freeForm,
  })
  .meta({
    id: 'Skill',
    examples: [
      {
        id: '0195d2f7-6081-7293-84a5-1a2b3c4d5e6f',
        agent_id: exampleIds.agent,
        type: 'transfer',
        exec_order: '1',
        enabled: true,
        config: { to: '+15551230100' },
      },
    ],
  });

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
  .meta({
    id: 'LatestPrompt',
    examples: [
      {
        level: 1,
        prompt: 'You are Anna from Acme. Ask {{name}} whether the delivery has arrived.',
        explanation: 'Asks after deliveries',
        mitigation: '',
        harmful_intents: [],
        agent_id: exampleIds.agent,
        organization_id: exampleIds.organization,
      },
    ],
  });

export const agent = z
  .object({
    id: uuid,
    name: z.string(),
    organization: z.object({ name: z.string() }),
    organization_id: uuid,
    skills: z.array(skill),
    latest_prompt: latestPrompt
      .nullable()
      .describe("The latest version of the agent's prompt. Null if the agent has no prompt."),
    config: freeForm,
  })
  .meta({ id: 'Agent' });

export const agentCalls = z
  .object({
    id: uuid,
    name: z.string(),
    organization_id: uuid,
    config: freeForm,
    calls: z.array(call).describe("The agent's calls, newest first."),
  })
  .meta({ id: 'AgentCalls' });

export type Agent = z.output<typeof agent>;

const name = z.string().trim().min(1).max(255);
const promptText = z.string().min(1).max(100_000);

/** Of a body with a prompt. Each of its characters may be escaped, as in `\u044f`. */
export const promptBodyBytesAtMost = 6 * 100_000 + freeFormBytesAtMost;

/** The largest version of a prompt, or agent with one, in an answer. */
export const promptRowBytesAtMost = 1024 * 1024;

const isSmallBesidesPrompt = (body: object) =>
  jsonBytes({ ...body, prompt: undefined }) <= freeFormBytesAtMost;

const largeBesidesPrompt = {
  message: `Input should have at most ${freeFormBytesAtMost} bytes of JSON without \`prompt\``,
  params: { type: 'too_long' },
};

const skillBody = z.strictObject({
  type: z.string().min(1).max(255),
  exec_order: z.string().min(1).max(255),
  enabled: z.boolean().default(true),
  config: freeForm.default({}),
});

const skills = z.array(skillBody).max(100);

const exampleSkills = [{ type: 'transfer', exec_order: '1', config: { to: '+15551230100' } }];

export const createAgentBody = z
  .strictObject({
    name,
    config: agentConfig
      .default({})
      .describe(
        "The agent's settings. `telephony.provider` and `telephony.from_phone` determine how its calls are placed; `voice` determines how it talks.",
      ),
    skills: skills.default([]),
    prompt: promptText.nullish().describe("The first version of the agent's prompt."),
  })
  .refine(isSmallBesidesPrompt, largeBesidesPrompt)
  .meta({
    id: 'CreateAgent',
    examples: [
      {
        name: 'Anna',
        config: { voice: 'calm' },
        skills: exampleSkills,
        prompt: 'You are Anna from Acme. Ask {{name}} whether the delivery has arrived.',
      },
    ],
  });

/** Body of `PUT /agents/{agent_id}`: replaces the fields that it names. */
export const updateAgentBody = z
  .strictObject({
    name: name.optional(),
    config: agentConfig.optional(),
    skills: skills.optional().describe("Replaces all of the agent's skills."),
  })
  .meta({ id: 'UpdateAgent', examples: [{ name: 'Anna', skills: exampleSkills }] });

export const addPromptBody = z
  .strictObject({
    prompt: promptText.describe(
      'The text of the prompt. `{{name}}` is a placeholder for a value from `prompt_params`.',
    ),
    level: z.int().min(0).max(1_000_000).default(1),
    explanation: z.string().max(10_000).default(''),
    mitigation: z.string().max(10_000).default(''),
    harmful_intents: z.array(z.unknown()).max(100).default([]),
  })
  .refine(isSmallBesidesPrompt, largeBesidesPrompt)
  .meta({
    id: 'AddPrompt',
    examples: [{ prompt: 'You are Anna from Acme. Ask {{name}} whether the delivery has arrived.' }],
  });

export const promptVersion = latestPrompt.extend({ created_at: dateTime }).meta({ id: 'PromptVersion' });

/** The position in the list of an agent's prompts: the number of the version that was read last. */
export const promptPosition = z.tuple([z.string().regex(/^\d{1,18}$/)]);
