import { crc32, deflateRawSync } from 'node:zlib';

/** A formula has no saved value. */
type Cell = string | number | { formula: string };

/** A workbook of one sheet with shared strings, as spreadsheets write it. `claimedBytes` is the length of the sheet that the archive declares. */
export function workbook(
  rows: ReadonlyArray<readonly Cell[]>,
  options: {
    claimedBytes?: number;
    hiddenLines?: readonly number[];
    otherSheets?: readonly string[];
    /** From 1. */
    hiddenColumn?: number;
    /** Such as `B2:B4`. */
    merged?: string;
  } = {},
): Buffer {
  const strings: string[] = [];
  const sheetRows = rows.map((cells, at) => {
    const line = at + 1;
    const xml = cells.map((cell, column) =>
      cellXml(cell, `${String.fromCharCode(65 + column)}${line}`, strings),
    );
    const hidden = options.hiddenLines?.includes(line) === true ? ' hidden="1"' : '';
    return `<row r="${line}"${hidden}>${xml.join('')}</row>`;
  });
  const { hiddenColumn: hidden, merged } = options;
  const columns =
    hidden === undefined ? '' : `<cols><col min="${hidden}" max="${hidden}" hidden="1"/></cols>`;
  const merges = merged === undefined ? '' : `<mergeCells><mergeCell ref="${merged}"/></mergeCells>`;
  const others = options.otherSheets ?? [];
  const parts = [
    [
      'xl/workbook.xml',
      `<workbook xmlns:r="r"><sheets><sheet name="List" sheetId="1" r:id="rId7"/>${others.map((name, at) => `<sheet name="${name}" sheetId="${at + 2}" r:id="other${at}"/>`).join('')}</sheets></workbook>`,
    ],
    [
      'xl/_rels/workbook.xml.rels',
      `<Relationships><Relationship Id="rId7" Target="worksheets/list.xml"/>${others.map((_, at) => `<Relationship Id="other${at}" Target="worksheets/other${at}.xml"/>`).join('')}</Relationships>`,
    ],
    ...others.map((_, at) => [`xl/worksheets/other${at}.xml`, '<worksheet/>'] as const),
    [
      'xl/sharedStrings.xml',
      `<sst>${strings.map((text) => `<si><t>${text}</t><rPh><t>no</t></rPh></si>`).join('')}</sst>`,
    ],
    [
      'xl/worksheets/list.xml',
      `<worksheet>${columns}<sheetData>${sheetRows.join('')}</sheetData>${merges}</worksheet>`,
    ],
  ] as const;
  return zip(parts, options.claimedBytes);
}

function cellXml(cell: Cell, reference: string, strings: string[]): string {
  if (typeof cell === 'number') return `<c r="${reference}"><v>${cell.toExponential()}</v></c>`;
  if (typeof cell === 'object') return `<c r="${reference}"><f>${cell.formula}</f></c>`;
  if (cell === '') return '';
  strings.push(cell.replaceAll('&', '&amp;'));
  return `<c r="${reference}" t="s"><v>${strings.length - 1}</v></c>`;
}

/** The minimal fields of APPNOTE.TXT that readers need. */
export function zip(parts: ReadonlyArray<readonly [string, string]>, claimedBytes?: number): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, text] of parts) {
    const data = deflateRawSync(text);
    const claimed = name.includes('worksheets')
      ? (claimedBytes ?? Buffer.byteLength(text))
      : Buffer.byteLength(text);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(crc32(text), 10);
    common.writeUInt32LE(data.length, 14);
    common.writeUInt32LE(claimed, 18);
    common.writeUInt16LE(name.length, 22);
    files.push(Buffer.from('PK\u0003\u0004'), common, Buffer.from(name), data);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.from('PK\u0001\u0002'), Buffer.from([20, 0]), common, rest, Buffer.from(name));
    offset += 30 + name.length + data.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(parts.length, 4);
  end.writeUInt16LE(parts.length, 6);
  end.writeUInt32LE(central.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...files, central, Buffer.from('PK\u0005\u0006'), end]);
}
