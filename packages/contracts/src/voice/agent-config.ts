import { z } from 'zod';
import { agentVoice } from './agent-voice.ts';
import { isOwnVoice } from './read-agent-voice.ts';

/**
 * Checked where it is ours, and kept as it was written; the words of another runtime pass. The union is for readers of the document and
 * for editors: its first form takes everything.
 */
const voice = z
  .union([z.unknown(), agentVoice])
  .superRefine((value, check) => {
    if (!isOwnVoice(value)) return;
    const read = agentVoice.safeParse(value);
    for (const issue of read.error?.issues ?? []) check.addIssue({ ...issue });
  })
  .describe(
    'How the agent talks, where Outdial itself is its voice runtime; words of another runtime are handed to it as they are',
  );

/** An agent's config: what the calls of the agent need, and anything that its own runtime needs. */
export const agentConfig = z.looseObject({ voice: voice.optional() });
