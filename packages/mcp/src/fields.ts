import { z } from 'zod';

export const campaignId = z.string().max(64).describe('The id of a campaign');
export const phoneNumber = z.string().max(32).describe('E.164, such as +15550100123');
export const instant = z.iso.datetime({ offset: true });

/** The largest page of a list for an assistant. */
export const pageShape = {
  limit: z.int().min(1).max(100).default(20),
  cursor: z.string().max(1_000).optional().describe('`next_cursor` of the page before'),
};

/** Removes keys that are undefined, which the typed client does not accept. */
export function defined<Values extends Record<string, unknown>>(
  values: Values,
): { [Name in keyof Values]?: Exclude<Values[Name], undefined> } {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  // The remaining entries are those of `values`, without undefined ones.
  return Object.fromEntries(entries) as { [Name in keyof Values]?: Exclude<Values[Name], undefined> };
}
