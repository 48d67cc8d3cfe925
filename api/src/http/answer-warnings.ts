import type { Warning } from '@outdial/contracts';

/** `meta` of an answer that names what was probably not meant. */
export function metaWithWarnings(
  meta: Readonly<Record<string, unknown>>,
  warnings: readonly Warning[],
): Record<string, unknown> {
  return warnings.length === 0 ? { ...meta } : { ...meta, warnings };
}

/** The knowledge base endpoints answer `data` alone: what has no `meta` stays as it is. */
export function withWarnings(answer: unknown, warnings: readonly Warning[]): unknown {
  if (warnings.length === 0 || typeof answer !== 'object' || answer === null || !('meta' in answer)) {
    return answer;
  }
  const meta = typeof answer.meta === 'object' && answer.meta !== null ? answer.meta : {};
  return { ...answer, meta: metaWithWarnings({ ...meta }, warnings) };
}
