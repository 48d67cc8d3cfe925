import type { ProviderRow, RowCheck } from './adapter.ts';
import { findAdapter } from './registry.ts';

/** Whether a provider's row, as it would be, can work beside the others in this environment. */
export function checkRow(
  row: ProviderRow,
  others: readonly ProviderRow[],
  environment: Readonly<Record<string, string | undefined>>,
): RowCheck {
  const nothing: RowCheck = { faults: [], hints: [], secret: null };
  return findAdapter(row.adapter)?.checkRow?.(row, others, environment) ?? nothing;
}
