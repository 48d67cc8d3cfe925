/** A CSV as spreadsheets read it (RFC 4180); cells that begin like a formula are escaped. */
export function toCsv(table: ReadonlyArray<readonly string[]>): string {
  return table.map((row) => row.map(cell).join(',')).join('\r\n');
}

function cell(text: string): string {
  const isFormula = /^[=@\t\r]/.test(text) || (/^[+-]/.test(text) && !/^[+-]?[\d\s().-]+$/.test(text));
  const safe = isFormula ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Offers a file for download, without a request. */
export function offerDownload(name: string, text: string): void {
  // Without a byte order mark, Excel does not recognize UTF-8.
  const url = URL.createObjectURL(new Blob(['\uFEFF', text], { type: 'text/csv;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
