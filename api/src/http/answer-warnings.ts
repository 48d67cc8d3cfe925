import type { Warning } from '@outdial/contracts';

export function metaWithWarnings(
  meta: Readonly<Record<string, unknown>>,
  warnings: readonly Warning[],
): Record<string, unknown> {
  return warnings.length === 0 ? { ...meta } : { ...meta, warnings };
}

/** Adds to the warnings of the answer. Adds nothing to an answer without `meta`, as those of the knowledge base endpoints. */
export function withWarnings(answer: unknown, warnings: readonly Warning[]): unknown {
  if (warnings.length === 0 || typeof answer !== 'object' || answer === null || !('meta' in answer)) {
    return answer;
  }
  const meta = typeof answer.meta === 'object' && answer.meta !== null ? answer.meta : {};
  const own: unknown[] = 'warnings' in meta && Array.isArray(meta.warnings) ? meta.warnings : [];
  return { ...answer, meta: { ...meta, warnings: [...warnings, ...own] } };
}
