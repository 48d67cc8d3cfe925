/** A physical line of a text, without its line end. */
export interface Line {
  /** From 1. */
  number: number;
  text: string;
  /** The line is longer than the limit; `text` is its beginning. */
  isCut: boolean;
}

/** A row is some names and notes. The limit keeps a line without an end, and quotation marks without an end, out of memory. */
export const lineCharactersAtMost = 256 * 1024;

const lineEnd = /\r\n|\r|\n/g;

/** Splits a text into its physical lines, which end with CRLF, LF or CR. Gives those of each piece together. */
export async function* linesOf(pieces: AsyncIterable<string>): AsyncGenerator<Line[]> {
  let rest = '';
  let number = 0;
  /** The line that `rest` continues was given already, up to the limit. */
  let isSkipping = false;
  const split = (text: string, isLast: boolean): Line[] => {
    const lines: Line[] = [];
    let start = 0;
    const add = (end: number) => {
      if (isSkipping) isSkipping = false;
      else lines.push(lineOf(++number, text.slice(start, end)));
    };
    for (const { 0: end, index } of text.matchAll(lineEnd)) {
      // A CR at the end of a piece may be half of a CRLF.
      if (end === '\r' && index === text.length - 1 && !isLast) break;
      add(index);
      start = index + end.length;
    }
    rest = text.slice(start);
    if (isSkipping) rest = rest.endsWith('\r') ? '\r' : '';
    else if (isLast && rest !== '') add(text.length);
    else if (rest.length > lineCharactersAtMost) {
      lines.push(lineOf(++number, rest));
      isSkipping = true;
      rest = rest.endsWith('\r') ? '\r' : '';
    }
    return lines;
  };
  for await (const piece of pieces) yield split(rest + piece, false);
  yield split(rest, true);
}

function lineOf(number: number, text: string): Line {
  const isCut = text.length > lineCharactersAtMost;
  return { number, text: isCut ? text.slice(0, lineCharactersAtMost) : text, isCut };
}
