import type { z } from 'zod';
import { asteriskRowSettings } from './asterisk/settings.ts';
import { twilioRowSettings, withoutNulls } from './twilio/settings.ts';

/** Adapters whose settings can be told right from wrong before they are written. */
const schemas: Readonly<Record<string, z.ZodObject>> = {
  asterisk: asteriskRowSettings,
  twilio: twilioRowSettings,
};

/** What is wrong with settings of a provider's row, a line each; empty where nothing is, or where nobody can tell. */
export function settingsFaults(adapter: string, settings: Record<string, unknown>): string[] {
  const read = schemas[adapter]?.strict().safeParse(withoutNulls(settings));
  if (!read || read.success) return [];
  return read.error.issues.map((issue) => [...issue.path.map(String), issue.message].join(': '));
}
