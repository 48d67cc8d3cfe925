/** Values that the log may show, by field. */
export type AuditValues = Readonly<Record<string, unknown>>;

export type AuditChanges = Record<string, { before: unknown; after: unknown }>;

/** Longer values are truncated. */
const longestValue = 500;

/** The fields that differ. A field that is missing on one side counts as null. */
export function changesBetween(before: AuditValues, after: AuditValues): AuditChanges {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return Object.fromEntries(
    names
      .filter((name) => textOf(before[name]) !== textOf(after[name]))
      .map((name) => [name, { before: shown(before[name]), after: shown(after[name]) }]),
  );
}

function shown(value: unknown): unknown {
  const text = textOf(value);
  if (text.length <= longestValue) return value ?? null;
  return `${(typeof value === 'string' ? value : text).slice(0, longestValue)}…`;
}

function textOf(value: unknown): string {
  return JSON.stringify(value ?? null, (_name, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
