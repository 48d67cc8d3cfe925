import { z } from 'zod';

const fromPage = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('key'), digit: z.string().regex(/^[0-9*#]$/) }),
  z.strictObject({ type: z.literal('hang_up') }),
]);

/** What a page says besides sound. */
export type FromPage = z.output<typeof fromPage>;

/** What a page is told besides sound. */
export type ToPage =
  /** Nothing of what was sent and is not played yet shall be heard. */
  | { type: 'clear' }
  /** A turn is over; of what the agent said, as much as was heard. */
  | { type: 'turn'; role: 'agent' | 'person'; text: string; interrupted: boolean }
  /** The agent has hung up. */
  | { type: 'ended' };

/** Null for anything else. */
export function readPageMessage(text: string): FromPage | null {
  try {
    return fromPage.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
