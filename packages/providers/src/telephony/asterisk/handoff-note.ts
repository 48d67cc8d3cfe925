import { parseJson } from '@outdial/core';
import { z } from 'zod';
import type { RuntimeTarget } from './runtime-target.ts';

/** What to do with a call once it is answered. The note is stored on the channel, so that any process that takes over the call has it. */
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
  /** By then, every channel of the call has ended. */
  longestSeconds: number;
  target: RuntimeTarget;
}

/** Encodes the note in letters, digits, `-` and `_`, none of which has a meaning in a dialplan. */
export function writeNote(content: HandoffNote): string {
  return Buffer.from(JSON.stringify(content)).toString('base64url');
}

export function readNote(text: string | undefined): HandoffNote | null {
  if (text === undefined) return null;
  return note.safeParse(parseJson(Buffer.from(text, 'base64url').toString())).data ?? null;
}
