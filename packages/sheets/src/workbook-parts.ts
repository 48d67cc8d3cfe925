import { posix } from 'node:path';
import type { Archive } from './archive.ts';
import { TableError } from './table-error.ts';

export interface WorkbookParts {
  /** The first visible worksheet. */
  sheet: string;
  /** The names of the other worksheets, hidden ones too. */
  otherSheets: readonly string[];
  sharedStrings: string | null;
  styles: string | null;
  /** Days are counted from 1904, as in workbooks of old Macintoshes. */
  isFrom1904: boolean;
}

interface Relation {
  /** The last part of its URI, which transitional and strict workbooks have in common. */
  type: string;
  part: string;
}

interface Sheet {
  /** Of its relationship. */
  id: string;
  name: string;
  isVisible: boolean;
}

/** A workbook has a few sheets, each with a relationship. */
const relationsAtMost = 10_000;

/** Finds the parts by their relationships, whatever their names are (ECMA-376, part 2, section 6.5). @throws TableError */
export async function partsOfWorkbook(archive: Archive): Promise<WorkbookParts> {
  const ofPackage = await relationsOf(archive, '');
  const workbook =
    [...ofPackage.values()].find(({ type }) => type === 'officeDocument')?.part ?? 'xl/workbook.xml';
  const relations = await relationsOf(archive, workbook);
  const { sheets, isFrom1904 } = await readWorkbook(archive, workbook);
  const ofType = (wanted: string, usual: string) =>
    [...relations.values(), { type: wanted, part: usual }].find(
      ({ type, part }) => type === wanted && archive.has(part),
    )?.part ?? null;
  const tables = sheets.filter(({ id }) => {
    const relation = relations.get(id);
    return ['worksheet', ''].includes(relation?.type ?? '-') && archive.has(relation?.part ?? '');
  });
  const sheet = tables.find(({ isVisible }) => isVisible);
  return {
    sheet: relations.get(sheet?.id ?? '')?.part ?? onlySheet(archive, relations),
    otherSheets: tables.filter((table) => table !== sheet).map(({ name }) => name),
    sharedStrings: ofType('sharedStrings', 'xl/sharedStrings.xml'),
    styles: ofType('styles', 'xl/styles.xml'),
    isFrom1904,
  };
}

/** Some programs write neither a workbook nor relationships. */
function onlySheet(archive: Archive, relations: ReadonlyMap<string, Relation>): string {
  const usual = 'xl/worksheets/sheet1.xml';
  if (relations.size === 0 && archive.has(usual)) return usual;
  throw new TableError(
    relations.size === 0
      ? 'the file is not an XLSX workbook, or has no sheet: save other formats, such as ODS and XLSB, as XLSX or CSV'
      : 'the workbook has no visible sheet with rows',
  );
}

/** The relationships of a part, or of the package, by id. */
async function relationsOf(archive: Archive, part: string): Promise<Map<string, Relation>> {
  const { dir, base } = posix.parse(part);
  const relations = new Map<string, Relation>();
  await archive.parseSmall(posix.join(dir, '_rels', `${base}.rels`), {
    opentag: (name, { Id: id, Type: type, Target: target, TargetMode: mode }) => {
      if (name !== 'Relationship' || id === undefined || target === undefined || mode === 'External') return;
      if (relations.size >= relationsAtMost) throw new TableError('the workbook has too many parts');
      // `/xl/sheet.xml` is from the root of the package, `sheet.xml` from the part's folder.
      const path = posix.join('/', target.startsWith('/') ? '' : dir, target.replaceAll('\\', '/'));
      relations.set(id, { type: posix.basename(type ?? ''), part: path.slice(1) });
    },
  });
  return relations;
}

async function readWorkbook(
  archive: Archive,
  workbook: string,
): Promise<{ sheets: Sheet[]; isFrom1904: boolean }> {
  const sheets: Sheet[] = [];
  let isFrom1904 = false;
  await archive.parseSmall(workbook, {
    opentag: (name, attributes) => {
      if (name === 'workbookPr') isFrom1904 = isTrue(attributes['date1904']);
      if (name !== 'sheet') return;
      if (sheets.length >= relationsAtMost) throw new TableError('the workbook has too many sheets');
      // `hidden`, or `veryHidden` for programs only.
      const isVisible = (attributes['state'] ?? 'visible') === 'visible';
      // In the namespace of relationships, usually with the prefix `r`.
      const id = Object.keys(attributes).find((key) => key.endsWith(':id'));
      if (id === undefined) return;
      sheets.push({ id: attributes[id] ?? '', name: attributes['name'] ?? '', isVisible });
    },
  });
  return { sheets, isFrom1904 };
}

/** A boolean of XML Schema. */
export function isTrue(text: string | undefined): boolean {
  return text === '1' || text === 'true';
}
