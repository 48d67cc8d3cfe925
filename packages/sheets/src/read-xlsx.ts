import { Archive } from './archive.ts';
import { NumberFormats } from './number-formats.ts';
import type { TableRow } from './table.ts';
import { SheetRows } from './sheet-rows.ts';
import { SharedStrings } from './shared-strings.ts';
import { partsOfWorkbook, type WorkbookParts } from './workbook-parts.ts';

export function isZip(head: Buffer): boolean {
  return head.subarray(0, 4).equals(Buffer.from('PK\u0003\u0004'));
}

/**
 * The rows of the first visible sheet of a workbook (ECMA-376, part 1, section 18), as it shows them, and the names of its other sheets. Formulas
 * count as the value that was saved with them.
 */
export async function openXlsx(
  bytes: Buffer,
): Promise<{ rows: AsyncGenerator<TableRow>; otherSheets: readonly string[] }> {
  const archive = await Archive.open(bytes);
  const parts = await partsOfWorkbook(archive);
  return { rows: rowsOf(archive, parts), otherSheets: parts.otherSheets };
}

async function* rowsOf(archive: Archive, parts: WorkbookParts): AsyncGenerator<TableRow> {
  const strings = new SharedStrings();
  if (parts.sharedStrings !== null) await archive.parse(parts.sharedStrings, strings.handlers());
  const formats = new NumberFormats(parts.isFrom1904);
  if (parts.styles !== null) await archive.parse(parts.styles, formats.handlers());
  const rows = new SheetRows({ sharedString: (index) => strings.at(index), formats });
  const chunks = archive.chunksOf(parts.sheet, rows.handlers());
  while ((await chunks.next()).done !== true) yield* rows.take();
}
