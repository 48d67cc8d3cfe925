import type { Random } from '../chaos/random.ts';
import type { Header } from './headers.ts';
import { hostileText } from './hostile-values.ts';

/** Frames the body with its length or in chunks. */
export function framed(
  random: Random,
  body: Buffer,
  headers: readonly Header[],
): { headers: Header[]; bytes: Buffer } {
  if (random.chance(0.1)) {
    const chunk = Buffer.concat([
      Buffer.from(`${body.length.toString(16)}\r\n`),
      body,
      Buffer.from('\r\n0\r\n\r\n'),
    ]);
    return {
      headers: [...headers, ['Transfer-Encoding', 'chunked']],
      bytes: body.length === 0 ? Buffer.from('0\r\n\r\n') : chunk,
    };
  }
  return { headers: [...headers, ['Content-Length', String(body.length)]], bytes: body };
}

export function oddSegment(random: Random): string {
  const text = hostileText(random).slice(0, 3_000);
  return random.chance(0.5)
    ? encodeURIComponent(text.toWellFormed())
    : Buffer.from(text.replaceAll(/[\s\0?#]/g, ''), 'utf8').toString('latin1');
}

export function queryText(random: Random, text: string): string {
  const short = text.slice(0, 6_000);
  return random.chance(0.1)
    ? Buffer.from(short.replaceAll(/[\s\0#&]/g, '')).toString('latin1')
    : encodeURIComponent(short.toWellFormed());
}
