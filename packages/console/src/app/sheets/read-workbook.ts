import { strFromU8, unzipSync } from 'fflate';
import { visibleText } from '@outdial/sheets/csv';
import { rowsAtMost, type Sheet, SheetError, sheetOf } from './sheet.ts';

/** Beyond that a browser tab would be busy for long; the service reads larger ones. */
const xmlBytesAtMost = 80_000_000;

/**
 * The first visible worksheet of an XLSX file (ECMA-376): text unchanged, numbers as written. The service reads the same sheet, as it is shown.
 * @throws SheetError
 */
export function readWorkbook(bytes: Uint8Array): Sheet {
  let files: Record<string, Uint8Array>;
  try {
    files = unzipSync(bytes, {
      filter: ({ name, originalSize }) =>
        originalSize < xmlBytesAtMost &&
        /^xl\/(workbook|sharedStrings|worksheets\/.*)\.xml$|^xl\/_rels\/workbook\.xml\.rels$/i.test(name),
    });
  } catch {
    throw new SheetError('The file is not a spreadsheet, or it is damaged');
  }
  // Names of parts do not differ by case.
  const parts = new Map(Object.entries(files).map(([name, file]) => [name.toLowerCase(), file]));
  const parse = (name: string) => {
    const file = parts.get(name.toLowerCase());
    return file === undefined ? null : parseXml(strFromU8(file));
  };
  const sheet = parse(firstSheetPath(parse));
  if (sheet === null) throw new SheetError('The file has no readable sheet');
  const shared = [...(parse('xl/sharedStrings.xml')?.getElementsByTagName('si') ?? [])].map(textOf);
  const rows = [...sheet.getElementsByTagName('row')];
  const table = rows.slice(0, rowsAtMost + 1).map((row, at) => ({
    line: Number(row.getAttribute('r') ?? at + 1),
    cells: cellsOf(row, shared).map(visibleText),
  }));
  return sheetOf(table, rows.length > rowsAtMost + 1);
}

interface TrustedTypes {
  createPolicy: (
    name: string,
    rules: { createHTML: (text: string) => string },
  ) => { createHTML: (text: string) => string };
}

/** The page's policy only allows parsing under this name. The parsed text is only read, and never added to the page. */
const trusted = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy('outdial-xml', {
  createHTML: (text) => text,
});

function parseXml(text: string): Document {
  return new DOMParser().parseFromString(trusted?.createHTML(text) ?? text, 'application/xml');
}

type Parse = (name: string) => Document | null;

function firstSheetPath(parse: Parse): string {
  const sheets = [...(parse('xl/workbook.xml')?.getElementsByTagNameNS('*', 'sheet') ?? [])].filter((sheet) =>
    ['visible', null].includes(sheet.getAttribute('state')),
  );
  const relations = [...(parse('xl/_rels/workbook.xml.rels')?.getElementsByTagName('Relationship') ?? [])];
  const targets = sheets.flatMap((sheet) => {
    // Usually with the prefix `r`.
    const name = sheet.getAttributeNames().find((attribute) => attribute.endsWith(':id'));
    const id = name === undefined ? null : sheet.getAttribute(name);
    const relation = relations.find((one) => one.getAttribute('Id') === id);
    const isChart = relation?.getAttribute('Type')?.endsWith('/worksheet') === false;
    return isChart ? [] : (relation?.getAttribute('Target') ?? []);
  });
  const [target] = targets;
  if (target === undefined) return 'xl/worksheets/sheet1.xml';
  return target.startsWith('/') ? target.slice(1) : `xl/${target}`;
}

/** Runs of one text; readings of Japanese words (`rPh`) are left out. */
function textOf(element: Element): string {
  return [...element.getElementsByTagName('t')]
    .filter((text) => text.parentElement?.tagName !== 'rPh')
    .map((text) => text.textContent ?? '')
    .join('');
}

function cellsOf(row: Element, shared: readonly string[]): string[] {
  const cells: string[] = [];
  for (const cell of row.getElementsByTagName('c')) {
    const at = columnNumber(cell.getAttribute('r')) ?? cells.length;
    while (cells.length < at) cells.push('');
    cells[at] = valueOf(cell, shared);
  }
  return cells;
}

function valueOf(cell: Element, shared: readonly string[]): string {
  const type = cell.getAttribute('t');
  if (type === 'inlineStr') return textOf(cell);
  const value = cell.getElementsByTagName('v')[0]?.textContent ?? '';
  if (type === 's') return shared[Number(value)] ?? '';
  // A phone number that was typed as a number: 1.5551230042E10.
  return type === null && /e\+?\d+$/i.test(value) ? String(Number(value)) : value;
}

/** `AB12` is column 27, from 0. */
function columnNumber(reference: string | null): number | null {
  const letters = /^([A-Z]{1,3})\d+$/.exec(reference ?? '')?.[1];
  if (letters === undefined) return null;
  return letters.split('').reduce((number, letter) => number * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}
