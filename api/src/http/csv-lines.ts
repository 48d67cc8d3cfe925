import { stringify } from 'csv-stringify/sync';

export function csvHeader(columns: readonly string[]): string {
  return stringify([[...columns]]);
}

/** Rows as CSV (RFC 4180). Null is an empty cell; objects and lists are JSON. */
export function csvLines(columns: readonly string[], rows: readonly object[]): string {
  return stringify(
    rows.map((row) => {
      const values = new Map<string, unknown>(Object.entries(row));
      return columns.map((name) => cellOf(values.get(name)));
    }),
  );
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return isFormula(text) ? `'${text}` : text;
}

/** Cells that a spreadsheet would evaluate (https://owasp.org/www-community/attacks/CSV_Injection). A number with a plus sign is harmless. */
function isFormula(text: string): boolean {
  return /^[=+\-@\t\r]/.test(text) && !/^[+-]?\d+(\.\d+)?$/.test(text);
}
