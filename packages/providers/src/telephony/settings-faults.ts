import { adapterNames, findAdapter } from './registry.ts';
import { withoutNulls } from './row-settings.ts';

/** The faults in the settings of a provider's row, one per line; empty if they are valid. */
export function settingsFaults(adapter: string, settings: Record<string, unknown>): string[] {
  const found = findAdapter(adapter);
  if (found === undefined) {
    return [`there is no adapter ${adapter}; known adapters are ${adapterNames.join(', ')}`];
  }
  const read = found.rowSettings?.strict().safeParse(withoutNulls(settings));
  if (!read || read.success) return [];
  return read.error.issues.map((issue) => [...issue.path.map(String), issue.message].join(': '));
}
