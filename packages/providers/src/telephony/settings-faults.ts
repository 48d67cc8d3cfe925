import { findAdapter } from './registry.ts';
import { withoutNulls } from './without-nulls.ts';

/** What is wrong with settings of a provider's row, a line each; empty where nothing is, or where this build has no such adapter. */
export function settingsFaults(adapter: string, settings: Record<string, unknown>): string[] {
  const read = findAdapter(adapter)?.rowSettings?.strict().safeParse(withoutNulls(settings));
  if (!read || read.success) return [];
  return read.error.issues.map((issue) => [...issue.path.map(String), issue.message].join(': '));
}
