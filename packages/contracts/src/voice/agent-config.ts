import { z } from 'zod';
import { agentVoice } from './agent-voice.ts';
import { isOwnVoice } from './read-agent-voice.ts';

/**
 * Validated only if it is for Outdial's voice runtime, and stored as sent; the config of another runtime is accepted unchecked. The union documents
 * our fields for readers of the OpenAPI document and for editors; its first member accepts anything.
 */
const voice = z
  .union([z.unknown(), agentVoice])
  .superRefine((value, check) => {
    if (!isOwnVoice(value)) return;
    const read = agentVoice.safeParse(value);
    for (const issue of read.error?.issues ?? []) check.addIssue({ ...issue });
  })
  .describe(
    'How the agent talks if Outdial is its voice runtime. Fields of other runtimes are passed on unchanged.',
  );

const compliance = z
  .strictObject({
    opt_out_key: z
      .string()
      .regex(/^[0-9*#]$/, 'Input should be one key: a digit, * or #')
      .nullable()
      .optional()
      .describe(
        'The organization never again calls a person who presses this key. The agent should announce it.',
      ),
    disclose: z
      .boolean()
      .optional()
      .describe(
        "Whether the agent's calls begin with a disclosure: who is calling, that the voice is artificial, and how to opt out. Under a calling policy, they always do.",
      ),
    language: z
      .string()
      .regex(/^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$/, 'Input should be a language tag, such as pt-BR')
      .optional()
      .describe('The language of the disclosure. By default, `voice.language`, or English without one.'),
  })
  .describe("How the agent's calls meet legal requirements.");

/** An agent's config: the settings of its calls, and any fields of its own voice runtime. */
export const agentConfig = z.looseObject({ voice: voice.optional(), compliance: compliance.optional() });
