import type { ProviderRow, RowCheck } from './adapter.ts';
import { findAdapter } from './registry.ts';

/** Checks whether a provider's row, once it is saved, can work beside the other rows in this environment. */
export function checkRow(
  row: ProviderRow,
  others: readonly ProviderRow[],
  environment: Readonly<Record<string, string | undefined>>,
): RowCheck {
  const nothing: RowCheck = { faults: [], hints: [], secret: null };
  const adapter = findAdapter(row.adapter);
  if (adapter === undefined) return nothing;
  if (adapter.checkRow !== undefined) return adapter.checkRow(row, others, environment);
  const missing = adapter.requiredVariables.filter((name) => !environment[name]);
  const installation = adapter.environment.read(environment, () => undefined);
  const isComplete = adapter.build(row, { installation, publicUrl: '', environment }) !== null;
  if (missing.length === 0 || isComplete) return nothing;
  const hint = `calls need ${missing.join(' and ')} in the environment of the workers and the api; not set here`;
  return { ...nothing, hints: [hint] };
}
