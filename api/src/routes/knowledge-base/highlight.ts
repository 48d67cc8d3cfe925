import { pairs } from '@outdial/core';

const BEGIN = '\u0002';
const END = '\u0003';

/**
 * HTML of a passage in which `BEGIN` and `END` enclose what Postgres has found. What was asked for in scripts without
 * spaces is marked here: Postgres indexes such text in pairs of letters, and cannot find those in the text itself.
 */
export function highlight(marked: string, unspacedParts: readonly string[]): string {
  let text = marked;
  for (const part of unspacedParts) {
    const whole = text.includes(part);
    for (const piece of whole ? [part] : pairs(part)) text = text.replaceAll(piece, `${BEGIN}${piece}${END}`);
  }
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll(BEGIN, '<mark>')
    .replaceAll(END, '</mark>');
}
