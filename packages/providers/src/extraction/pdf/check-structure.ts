import { ExtractionError } from '../extraction-error.ts';

/** Where readers look for the end of a ZIP's directory: its record and the longest comment. */
const ZIP_TAIL_BYTES = 22 + 65_535;

/**
 * Refuses what a lenient parser would read in part, or read as something else than another program does: files
 * that end too early, and files that are a ZIP archive at the same time.
 */
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
  for (let from = Math.max(0, file.length - ZIP_TAIL_BYTES); ; from++) {
    const at = file.indexOf('PK\x05\x06', from, 'latin1');
    if (at < 0 || at + 22 > file.length) return false;
    // The record says how long its comment is; a chance hit would not end where the file ends.
    if (at + 22 + file.readUInt16LE(at + 20) === file.length) return true;
    from = at;
  }
}

function isTruncated(file: Buffer): boolean {
  const end = file.lastIndexOf('%%EOF', undefined, 'latin1');
  if (end < 0) return true;
  // A revision that was appended and cut off (ISO 32000-1, 7.5.6): objects behind the last end.
  if (
    /(?<!\d)\d{1,10} \d{1,10} obj\b/.test(
      file.toString('latin1', end, Math.min(file.length, end + 64 * 1024)),
    )
  ) {
    return true;
  }
  // A linearized file has an end near its beginning, and says how long it is (annex F.3.3).
  const length = /\/Linearized\b[^>]*?\/L\s+(\d+)/.exec(file.toString('latin1', 0, 1024))?.[1];
  return length !== undefined && Number(length) > file.length && end < file.length / 2;
}
