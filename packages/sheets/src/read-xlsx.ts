import type { Readable } from 'node:stream';
import { SaxesParser } from 'saxes';
import yauzl, { type Entry, type ZipFile } from 'yauzl';
import type { TableRow } from './table.ts';
import type { XmlHandlers } from './xml-handlers.ts';
import { SheetRows } from './sheet-rows.ts';
import { SharedStrings } from './shared-strings.ts';
import { TableError } from './table-error.ts';

/** A workbook has a few dozen parts. */
const partsAtMost = 1_000;
/** The limit for all parts together, unpacked. A million rows with a number, a name and a zone take about 200 MiB. */
const unpackedBytesAtMost = 256 * 1024 * 1024;
const smallPartBytesAtMost = 1024 * 1024;
/** Sheets of identical rows reach a ratio of fifty. A higher one indicates an archive bomb. */
const ratioAtMost = 100;

/** An archive, and the bytes that may still be unpacked. */
interface Unpacking {
  archive: ZipFile;
  bytesLeft: number;
}

export function isZip(head: Buffer): boolean {
  return head.subarray(0, 4).equals(Buffer.from('PK\u0003\u0004'));
}

/** The rows of the first sheet of a workbook (ECMA-376, part 1, section 18). Formulas count as the value that was saved with them. */
export async function* readXlsx(bytes: Buffer): AsyncGenerator<TableRow> {
  const archive = await openArchive(bytes);
  const parts = await listParts(archive);
  const unpacking: Unpacking = { archive, bytesLeft: unpackedBytesAtMost };
  const sheet = parts.get(await firstSheet(unpacking, parts));
  if (sheet === undefined) throw new TableError('the file is not an XLSX workbook, or has no sheet');
  const strings = new SharedStrings();
  const shared = parts.get('xl/sharedStrings.xml');
  if (shared !== undefined) await parsePart(unpacking, shared, strings.handlers());
  const rows = new SheetRows((index) => strings.at(index));
  const parser = parserWith(rows.handlers());
  for await (const chunk of textOf(unpacking, sheet)) {
    write(parser, chunk);
    yield* rows.take();
  }
  write(parser, null);
  yield* rows.take();
}

function openArchive(bytes: Buffer): Promise<ZipFile> {
  return new Promise((resolve, reject) => {
    yauzl.fromBuffer(bytes, { lazyEntries: true }, (error, archive) => {
      if (error) reject(new TableError('the file is a damaged ZIP archive', { cause: error }));
      else resolve(archive);
    });
  });
}

function listParts(archive: ZipFile): Promise<Map<string, Entry>> {
  return new Promise((resolve, reject) => {
    const parts = new Map<string, Entry>();
    archive.on('entry', (entry: Entry) => {
      parts.set(entry.fileName, entry);
      if (parts.size > partsAtMost) reject(new TableError('the workbook has too many parts'));
      else archive.readEntry();
    });
    archive.on('error', (error) =>
      reject(new TableError('the file is a damaged ZIP archive', { cause: error })),
    );
    archive.on('end', () => resolve(parts));
    archive.readEntry();
  });
}

/** The part with the first sheet, according to the workbook and its relationships. */
async function firstSheet(unpacking: Unpacking, parts: Map<string, Entry>): Promise<string> {
  const workbook = parts.get('xl/workbook.xml');
  const relations = parts.get('xl/_rels/workbook.xml.rels');
  if (workbook === undefined || relations === undefined) return 'xl/worksheets/sheet1.xml';
  let relationId: string | undefined;
  const targets = new Map<string, string>();
  const nothing = { text: () => undefined, closetag: () => undefined };
  await parsePart(
    unpacking,
    workbook,
    {
      ...nothing,
      opentag: (name, attributes) => {
        if (name === 'sheet') relationId ??= attributes['r:id'];
      },
    },
    smallPartBytesAtMost,
  );
  await parsePart(
    unpacking,
    relations,
    {
      ...nothing,
      opentag: (name, { Id: id, Target: target }) => {
        if (name === 'Relationship' && id !== undefined && target !== undefined) targets.set(id, target);
      },
    },
    smallPartBytesAtMost,
  );
  const target = relationId === undefined ? undefined : targets.get(relationId);
  if (target === undefined) return 'xl/worksheets/sheet1.xml';
  return target.startsWith('/') ? target.slice(1) : `xl/${target}`;
}

async function parsePart(
  unpacking: Unpacking,
  part: Entry,
  handlers: XmlHandlers,
  bytesAtMost = unpackedBytesAtMost,
): Promise<void> {
  const parser = parserWith(handlers);
  for await (const chunk of textOf(unpacking, part, bytesAtMost)) write(parser, chunk);
  write(parser, null);
}

async function* textOf(
  unpacking: Unpacking,
  part: Entry,
  bytesAtMost = unpackedBytesAtMost,
): AsyncGenerator<string> {
  const { archive } = unpacking;
  // The archive declares the length of each part, and its reader fails if a part is longer.
  unpacking.bytesLeft -= part.uncompressedSize;
  if (part.uncompressedSize > bytesAtMost || unpacking.bytesLeft < 0) {
    throw new TableError(
      `the workbook is too large: it unpacks to more than ${unpackedBytesAtMost / 1024 / 1024} MiB; save the sheet as CSV, or in parts`,
    );
  }
  if (
    part.uncompressedSize > smallPartBytesAtMost &&
    part.uncompressedSize > ratioAtMost * part.compressedSize
  ) {
    throw new TableError(`the workbook is compressed more than ${ratioAtMost} times: save the sheet as CSV`);
  }
  const stream = await new Promise<Readable>((resolve, reject) => {
    archive.openReadStream(part, (error, opened) => {
      if (error) reject(new TableError('the file is a damaged ZIP archive', { cause: error }));
      else resolve(opened);
    });
  });
  stream.setEncoding('utf8');
  try {
    for await (const chunk of stream) yield String(chunk);
  } catch (error) {
    throw new TableError('the file is a damaged ZIP archive', { cause: error });
  }
}

function parserWith(handlers: XmlHandlers): SaxesParser {
  const parser = new SaxesParser();
  parser.on('opentag', (tag) => {
    handlers.opentag(localName(tag.name), tag.attributes);
  });
  parser.on('text', handlers.text);
  parser.on('cdata', handlers.text);
  parser.on('closetag', (tag) => handlers.closetag(localName(tag.name)));
  parser.on('error', (error) => {
    throw error;
  });
  return parser;
}

function write(parser: SaxesParser, text: string | null): void {
  try {
    if (text === null) parser.close();
    else parser.write(text);
  } catch (error) {
    if (error instanceof TableError) throw error;
    throw new TableError('the workbook holds XML that is not well-formed', { cause: error });
  }
}

/** Some programs write names with a prefix. */
function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}
