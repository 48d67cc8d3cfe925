import { z } from 'zod';
import { readJson } from '../../read-json.ts';

const fromPage = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('key'), digit: z.string().regex(/^[0-9*#]$/) }),
  z.strictObject({ type: z.literal('hang_up') }),
]);

/** Text messages from a page. */
export type FromPage = z.output<typeof fromPage>;

/** Text messages to a page. */
export type ToPage =
  /** Discard audio that was not played yet. */
  | { type: 'clear' }
  /** A turn is over. The text of the agent is what the person heard. */
  | { type: 'turn'; role: 'agent' | 'person'; text: string; interrupted: boolean }
  /** The agent has hung up. */
  | { type: 'ended' };

/** Null for anything else. */
export const readPageMessage = (text: string): FromPage | null => readJson(fromPage, text);
