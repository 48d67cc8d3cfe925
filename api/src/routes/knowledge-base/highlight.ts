import { pairs } from '@outdial/core';

const BEGIN = '\u0002';
const END = '\u0003';

/**
 * HTML of a passage in which `BEGIN` and `END` enclose what Postgres has found. What was asked for in scripts without
 * spaces is marked here: Postgres indexes such text in pairs of letters, and cannot find those in the text itself. The text is gone through
 * once, so that the answer cannot grow with what is asked.
 */
export function highlight(marked: string, unspacedParts: readonly string[]): string {
  const pieces = new Set(unspacedParts.flatMap((part) => (marked.includes(part) ? [part] : pairs(part))));
  return markPieces(marked, [...pieces])
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll(BEGIN, '<mark>')
    .replaceAll(END, '</mark>');
}

function markPieces(text: string, pieces: readonly string[]): string {
  if (pieces.length === 0) return text;
  // The longest of those that begin at a place. They are letters and marks alone, which mean nothing else in an expression.
  const longestFirst = pieces.toSorted((a, b) => b.length - a.length);
  return text.replaceAll(new RegExp(longestFirst.join('|'), 'gu'), `${BEGIN}$&${END}`);
}
