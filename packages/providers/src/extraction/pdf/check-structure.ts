import { ExtractionError } from '../extraction-error.ts';

/** ZIP readers search this many last bytes for the end of the directory: its record and the longest comment. */
const zipTailBytes = 22 + 65_535;

/** Refuses files that a lenient parser would read only in part, or differently from another program: files that are cut off, and files that are also a ZIP archive. */
export function checkPdfStructure(bytes: Uint8Array): void {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (endsAsZip(file)) {
    throw new ExtractionError(
      'ambiguous_type',
      'The file is a PDF and a ZIP archive at once; a file must be one thing only',
    );
  }
  if (isTruncated(file)) {
    throw new ExtractionError(
      'truncated',
      'The PDF is incomplete: its end is missing. Upload the whole file',
    );
  }
}

function endsAsZip(file: Buffer): boolean {
  if (!endsWithZipRecord(file)) return false;
  return file.indexOf('PK\x03\x04', 0, 'latin1') >= 0;
}

function endsWithZipRecord(file: Buffer): boolean {
  for (let from = Math.max(0, file.length - zipTailBytes); ; from++) {
    const at = file.indexOf('PK\x05\x06', from, 'latin1');
    if (at < 0 || at + 22 > file.length) return false;
    // The record holds the length of its comment. A chance match would not end at the end of the file.
    if (at + 22 + file.readUInt16LE(at + 20) === file.length) return true;
    from = at;
  }
}

function isTruncated(file: Buffer): boolean {
  const end = file.lastIndexOf('%%EOF', undefined, 'latin1');
  if (end < 0) return true;
  // Objects after the last end belong to an appended revision that was cut off (ISO 32000-1, 7.5.6).
  if (
    /(?<!\d)\d{1,10} \d{1,10} obj\b/.test(
      file.toString('latin1', end, Math.min(file.length, end + 64 * 1024)),
    )
  ) {
    return true;
  }
  // A linearized file has an end marker near its beginning, and declares its length (annex F.3.3).
  const length = /\/Linearized\b[^>]*?\/L\s+(\d+)/.exec(file.toString('latin1', 0, 1024))?.[1];
  return length !== undefined && Number(length) > file.length && end < file.length / 2;
}
