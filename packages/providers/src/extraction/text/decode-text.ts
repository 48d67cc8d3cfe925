import { wideEncoding } from '@outdial/core/file-kind';
import jschardet from 'jschardet';

/** Enough for letter statistics. More would only take time. */
const sampleBytes = 64 * 1024;

/** Decodes a file that declares no encoding, in the encoding that fits best. Null if it is not text. */
export function decodeText(bytes: Uint8Array): string | null {
  const wide = wideEncoding(bytes);
  if (wide === 'utf-32le' || wide === 'utf-32be') return decodeUtf32(bytes, wide === 'utf-32le');
  if (wide) return new TextDecoder(wide).decode(bytes);
  // ISO-2022-JP has only seven bits, so it is valid UTF-8 too. Escapes tell it apart (RFC 1468).
  if (hasJapaneseEscape(bytes)) return new TextDecoder('iso-2022-jp').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    const text = new TextDecoder('utf-8').decode(bytes);
    return isDamagedUtf8(text) ? text : new TextDecoder(guessEncoding(bytes)).decode(bytes);
  }
}

/** A few wrong bytes in UTF-8 become replacement characters. In another encoding, hardly any two bytes are valid UTF-8 by chance. */
function isDamagedUtf8(text: string): boolean {
  const replaced = text.split('\ufffd').length - 1;
  const valid =
    (text.match(/[\u0080-\ufffc]/gu)?.length ?? 0) + (text.match(/[\u{10000}-\u{10ffff}]/gu)?.length ?? 0);
  return valid >= replaced;
}

/** The Encoding Standard's names for encodings that the detector names differently. */
const codePages: Record<string, string> = {
  cp932: 'shift_jis',
  cp949: 'euc-kr',
  cp874: 'windows-874',
};

function hasJapaneseEscape(bytes: Uint8Array): boolean {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return file.includes('\x1b$B', 0, 'latin1') || file.includes('\x1b$@', 0, 'latin1');
}

function guessEncoding(bytes: Uint8Array): string {
  const sample = Buffer.from(bytes.subarray(0, sampleBytes));
  const guess = jschardet.detect(sample).encoding?.toLowerCase() ?? 'windows-1252';
  try {
    return new TextDecoder(codePages[guess] ?? guess).encoding;
  } catch {
    return 'windows-1252';
  }
}

/** Node's decoder does not support UTF-32. */
function decodeUtf32(bytes: Uint8Array, littleEndian: boolean): string | null {
  if (bytes.length % 4 !== 0) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const pieces: string[] = [];
  for (let at = 0; at < bytes.length; at += 4) {
    const point = view.getUint32(at, littleEndian);
    if (point > 0x10_ffff) return null;
    pieces.push(String.fromCodePoint(point));
  }
  return pieces.join('');
}
