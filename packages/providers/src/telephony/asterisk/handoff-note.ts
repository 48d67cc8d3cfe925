import { parseJson } from '@outdial/core';
import { z } from 'zod';
import type { RuntimeTarget } from './runtime-target.ts';

/**
 * The steps for a call once it is answered. They travel on the channel, so that any process that takes over the call knows
 * them.
 */
const note = z.object({
  records: z.boolean(),
  agentId: z.string(),
  longestSeconds: z.int(),
  target: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('dialplan'), context: z.string(), extension: z.string() }),
    z.object({
      kind: z.literal('media'),
      url: z.string(),
      format: z.string(),
      token: z.string().optional(),
    }),
  ]),
});

export interface HandoffNote {
  records: boolean;
  agentId: string;
  /** By then everything that belongs to the call is over. */
  longestSeconds: number;
  target: RuntimeTarget;
}

/** Letters, digits, `-` and `_` only: nothing that a dialplan would take for its own. */
export function writeNote(content: HandoffNote): string {
  return Buffer.from(JSON.stringify(content)).toString('base64url');
}

export function readNote(text: string | undefined): HandoffNote | null {
  if (text === undefined) return null;
  return note.safeParse(parseJson(Buffer.from(text, 'base64url').toString())).data ?? null;
}
