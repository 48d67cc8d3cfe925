/** A page of Markdown with its tables aligned like the formatter's output. */
export function withAlignedTables(page: string): string {
  return page.replaceAll(/(?:^\|.*\|\n)+/gm, (table) => {
    const rows = table
      .trim()
      .split('\n')
      .map((row) =>
        row
          .slice(1, -1)
          .split('|')
          .map((cell) => cell.trim()),
      );
    const widths = (rows[0] ?? []).map((_, column) =>
      Math.max(...rows.map((row) => row[column]?.length ?? 0)),
    );
    const aligned = rows.map((row, index) =>
      row
        .map((cell, column) =>
          index === 1 ? '-'.repeat(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
        )
        .join(' | '),
    );
    return aligned.map((row) => `| ${row} |\n`).join('');
  });
}
