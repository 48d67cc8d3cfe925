import type { Readable } from 'node:stream';
import { SaxesParser } from 'saxes';
import yauzl, { type Entry, type ZipFile } from 'yauzl';
import type { XmlHandlers } from './xml-handlers.ts';
import { TableError } from './table-error.ts';

/** A workbook has a few dozen parts. */
const partsAtMost = 1_000;
/** The limit for all parts together, unpacked. A million rows with a number, a name and a zone take about 200 MiB. */
const unpackedBytesAtMost = 256 * 1024 * 1024;
const smallPartBytesAtMost = 1024 * 1024;
/** Sheets of identical rows reach a ratio of fifty. A higher one indicates an archive bomb. */
const ratioAtMost = 100;

/** An archive of XML parts, of which a bounded number of bytes is unpacked. */
export class Archive {
  readonly #file: ZipFile;
  readonly #parts: ReadonlyMap<string, Entry>;
  /** Each counts once, although a sheet is read twice. */
  readonly #counted = new Set<Entry>();
  #bytesLeft = unpackedBytesAtMost;

  /** @throws TableError if it is no archive */
  static async open(bytes: Buffer): Promise<Archive> {
    const file = await openArchive(bytes);
    return new Archive(file, await listParts(file));
  }

  private constructor(file: ZipFile, parts: ReadonlyMap<string, Entry>) {
    this.#file = file;
    this.#parts = parts;
  }

  /** Names of parts do not differ by case (ECMA-376, part 2, section 6.2.2.3). */
  has(part: string): boolean {
    return this.#parts.has(part.toLowerCase());
  }

  /** Reads a small part, if it is there. */
  async parseSmall(part: string, handlers: Partial<XmlHandlers>): Promise<void> {
    await this.#parse(part, handlers, smallPartBytesAtMost);
  }

  async parse(part: string, handlers: Partial<XmlHandlers>): Promise<void> {
    await this.#parse(part, handlers, unpackedBytesAtMost);
  }

  /** Yields after each chunk of the part. */
  async *chunksOf(part: string, handlers: Partial<XmlHandlers>, bytesAtMost = unpackedBytesAtMost) {
    if (!this.has(part)) return;
    const parser = parserWith(handlers);
    for await (const chunk of this.textOf(part, bytesAtMost)) {
      write(parser, chunk);
      yield;
    }
    write(parser, null);
    yield;
  }

  async #parse(part: string, handlers: Partial<XmlHandlers>, bytesAtMost: number): Promise<void> {
    const chunks = this.chunksOf(part, handlers, bytesAtMost);
    while ((await chunks.next()).done !== true);
  }

  /** The XML of a part, in chunks. */
  async *textOf(name: string, bytesAtMost = unpackedBytesAtMost): AsyncGenerator<string> {
    const part = this.#parts.get(name.toLowerCase());
    if (part === undefined) return;
    // The archive declares the length of each part, and its reader fails if a part is longer.
    if (!this.#counted.has(part)) this.#bytesLeft -= part.uncompressedSize;
    this.#counted.add(part);
    if (part.uncompressedSize > bytesAtMost || this.#bytesLeft < 0) {
      throw new TableError(
        `the workbook is too large: it unpacks to more than ${unpackedBytesAtMost / 1024 / 1024} MiB; save the sheet as CSV, or in parts`,
      );
    }
    if (
      part.uncompressedSize > smallPartBytesAtMost &&
      part.uncompressedSize > ratioAtMost * part.compressedSize
    ) {
      throw new TableError(
        `the workbook is compressed more than ${ratioAtMost} times: save the sheet as CSV`,
      );
    }
    const stream = await new Promise<Readable>((resolve, reject) => {
      this.#file.openReadStream(part, (error, opened) => {
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
      const name = entry.fileName.replaceAll('\\', '/').replace(/^\//, '').toLowerCase();
      if (parts.has(name)) return reject(new TableError('the archive has two parts of one name'));
      parts.set(name, entry);
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

function parserWith(handlers: Partial<XmlHandlers>): SaxesParser {
  const parser = new SaxesParser();
  parser.on('opentag', (tag) => {
    handlers.opentag?.(localName(tag.name), tag.attributes);
  });
  const { text, closetag } = handlers;
  if (text !== undefined) {
    parser.on('text', text);
    parser.on('cdata', text);
  }
  if (closetag !== undefined) parser.on('closetag', (tag) => closetag(localName(tag.name)));
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
