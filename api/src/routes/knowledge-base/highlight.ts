import { pairs } from '@outdial/core';

const begin = '\u0002';
const end = '\u0003';

/**
 * HTML of a passage in which `begin` and `end` enclose the matches of Postgres. Matches in scripts without spaces are marked here, because
 * Postgres indexes such text as pairs of letters and cannot mark them. The text is scanned once, so that the answer cannot grow with the
 * query.
 */
export function highlight(marked: string, unspacedParts: readonly string[]): string {
  const pieces = new Set(unspacedParts.flatMap((part) => (marked.includes(part) ? [part] : pairs(part))));
  return markPieces(marked, [...pieces])
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll(begin, '<mark>')
    .replaceAll(end, '</mark>');
}

function markPieces(text: string, pieces: readonly string[]): string {
  if (pieces.length === 0) return text;
  // The longest match at a position. Matches are letters and marks only, which have no special meaning in an expression.
  const longestFirst = pieces.toSorted((a, b) => b.length - a.length);
  return text.replaceAll(new RegExp(longestFirst.join('|'), 'gu'), `${begin}$&${end}`);
}
