export type FileKind = 'PDF' | 'TXT';

export type FileKindDecision = { kind: 'accepted'; fileType: FileKind } | { kind: 'refused'; reason: string };

/** This much of a file's beginning is enough to decide. */
export const fileHeadBytes = 64 * 1024;

/** ISO 32000-1, annex H (implementation note 13): readers accept a header anywhere in the first 1024 bytes. */
const pdfHeaderWithin = 1024;

/** Formats that people upload by mistake, by the first bytes of such files. */
const signatures: ReadonlyArray<{ bytes: string; format: string; text?: true }> = [
  { bytes: '\x89PNG', format: 'a PNG image' },
  { bytes: '\xff\xd8\xff', format: 'a JPEG image' },
  { bytes: 'GIF8', format: 'a GIF image' },
  { bytes: 'II*\0', format: 'a TIFF image' },
  { bytes: 'MM\0*', format: 'a TIFF image' },
  { bytes: 'PK\x03\x04', format: 'a ZIP archive or an Office document (DOCX, XLSX, ODT)' },
  { bytes: 'PK\x05\x06', format: 'an empty ZIP archive' },
  { bytes: '\xd0\xcf\x11\xe0', format: 'an older Office document (DOC, XLS)' },
  { bytes: '\x1f\x8b', format: 'a gzip archive' },
  { bytes: 'Rar!', format: 'a RAR archive' },
  { bytes: '7z\xbc\xaf', format: 'a 7z archive' },
  { bytes: 'MZ', format: 'a Windows program' },
  { bytes: '\x7fELF', format: 'a Linux program' },
  { bytes: 'OggS', format: 'an Ogg recording' },
  { bytes: 'ID3', format: 'an MP3 recording' },
  { bytes: 'RIFF', format: 'a WAV, AVI or WebP file' },
  { bytes: '{\\rtf', format: 'a Rich Text document', text: true },
  { bytes: '%!PS', format: 'a PostScript document', text: true },
];

/** Decides the type of a file from its first `fileHeadBytes` (the whole file if it is shorter). The name does not count. The extraction checks the rest of the file. */
export function decideFileKind(head: Uint8Array): FileKindDecision {
  if (head.length === 0) return { kind: 'refused', reason: 'The file is empty' };
  const latin = latin1(head.subarray(0, pdfHeaderWithin + 8));
  const found = signatures.find((signature) => latin.startsWith(signature.bytes));
  const pdfAt = latin.indexOf('%PDF-');
  if (pdfAt > 0 && found) {
    return {
      kind: 'refused',
      reason: `The file is ${found.format} and a PDF at once; a file must be one thing only`,
    };
  }
  if (pdfAt > 0 && isPdfBehindText(latin, pdfAt)) {
    return {
      kind: 'refused',
      reason: 'The file has other content before its PDF; a file must be one thing only',
    };
  }
  // A header below a line of text belongs to a text about PDF; below a byte order mark or line ends it belongs to a PDF.
  if (pdfAt >= 0 && /^[^\x20-\x7e]*$/.test(latin.slice(0, pdfAt))) {
    return { kind: 'accepted', fileType: 'PDF' };
  }
  const text = looksLikeText(head);
  if (pdfAt >= 0 && !text) return { kind: 'accepted', fileType: 'PDF' };
  if (found && (!text || found.text)) {
    return { kind: 'refused', reason: `The file is ${found.format}, and must be a PDF or a text file` };
  }
  if (text) return { kind: 'accepted', fileType: 'TXT' };
  return { kind: 'refused', reason: 'The file is neither a PDF nor text' };
}

/** A PDF header at the beginning of a line, followed by its first object, after readable text. */
function isPdfBehindText(head: string, pdfAt: number): boolean {
  const before = head.slice(0, pdfAt);
  const header = /^%PDF-\d\.\d\s[^]{0,80}?\d+ \d+ obj\b/;
  return /[\x20-\x7e]/.test(before) && /[\r\n]$/.test(before) && header.test(head.slice(pdfAt));
}

/** Text in any encoding has no control characters except white space; zero bytes identify UTF-16 and UTF-32. */
export function looksLikeText(bytes: Uint8Array): boolean {
  return wideEncoding(bytes) !== null || countControls(bytes) === 0;
}

export type WideEncoding = 'utf-16le' | 'utf-16be' | 'utf-32le' | 'utf-32be';

/** UTF-32 or UTF-16, by the byte order mark, or else by the positions of the zero bytes of spaces and line ends. */
export function wideEncoding(bytes: Uint8Array): WideEncoding | null {
  const [a, b, c, d] = bytes;
  if (a === 0xff && b === 0xfe) return c === 0 && d === 0 && bytes.length % 4 === 0 ? 'utf-32le' : 'utf-16le';
  if (a === 0xfe && b === 0xff) return 'utf-16be';
  if (a === 0 && b === 0 && c === 0xfe && d === 0xff) return 'utf-32be';
  let le = 0;
  let be = 0;
  let units = 0;
  for (let i = 0; i + 1 < bytes.length; i += 2) {
    const first = bytes[i] ?? 0;
    const second = bytes[i + 1] ?? 0;
    units++;
    // Text contains no U+0000, and no control characters except white space.
    if (first === 0 && second === 0) return null;
    if (second === 0 && isWhiteOrAscii(first)) le++;
    if (first === 0 && isWhiteOrAscii(second)) be++;
  }
  // Every script uses some ASCII characters: spaces, digits, line ends. Other binary data has zero bytes at both positions.
  if (units >= 2 && le > be * 20 && le >= units * 0.05) return 'utf-16le';
  if (units >= 2 && be > le * 20 && be >= units * 0.05) return 'utf-16be';
  return null;
}

function isWhiteOrAscii(byte: number): boolean {
  return (byte >= 0x20 && byte < 0x7f) || (byte >= 0x09 && byte <= 0x0d);
}

/** ESC does not count, because ISO-2022-JP uses it. 0x1a ends files of old systems, and counts only before the end. */
function countControls(bytes: Uint8Array): number {
  let count = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] ?? 0;
    if (byte >= 0x20 && byte !== 0x7f) continue;
    if ((byte >= 0x08 && byte <= 0x0d) || byte === 0x1b) continue;
    if (byte === 0x1a && i === bytes.length - 1) continue;
    count++;
  }
  return count;
}

function latin1(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}
