import fc from 'fast-check';

/** A list as people, programs and accidents leave it. */
export interface AnyList {
  bytes: Buffer;
  /** The physical lines, the first one at 0. */
  lines: string[];
}

const oddCharacters = ['\u200B', '\uFEFF', '\u00A0', '\u0000', '\u2028', '\u0085', '🙂'];
const noise = fc.constantFrom(
  '"',
  '""',
  '"a',
  'b"',
  ' ',
  '\t',
  ',',
  ';',
  "'",
  '\\',
  'Ada',
  'é',
  '5\'10"',
  '12',
  ...oddCharacters,
);
const cell = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('Ada', 'Grace Hopper', 'x', '', '"Doe, J"', '"say ""hi"""') },
  { weight: 1, arbitrary: fc.array(noise, { maxLength: 6 }).map((parts) => parts.join('')) },
);
const lineEnd = fc.oneof(
  fc.constantFrom('\n', '\r\n', '\r').map((end) => [end]),
  fc.array(fc.constantFrom('\n', '\r\n', '\r'), { minLength: 1, maxLength: 4 }),
);
const encoding = fc.constantFrom('utf-8', 'utf-8', 'utf-8', 'BOM', 'utf-16', 'latin1');

/**
 * @param args.header the names of the columns
 * @param args.idOf what marks a line: it stands in its first cell, sometimes among noise
 * @param args.cellsOf how many other cells a line has
 */
export function anyList(args: {
  header: readonly string[];
  idOf: (line: number) => string;
  /** What may stand before the mark; noise by default. */
  before?: readonly string[];
  cellsOf: { min: number; max: number };
  /** The first of the other cells, as the import needs them. */
  fixed?: readonly string[];
}): fc.Arbitrary<AnyList> {
  const row = fc.record({
    before: fc.oneof(
      { weight: 8, arbitrary: fc.constant('') },
      { weight: 1, arbitrary: args.before === undefined ? noise : fc.constantFrom(...args.before) },
    ),
    isQuoted: fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, fc.constant(true)),
    cells: fc.array(cell, { minLength: args.cellsOf.min, maxLength: args.cellsOf.max }),
    blanks: fc.oneof({ weight: 9, arbitrary: fc.constant('') }, fc.constantFrom(' ', '""', '\u200B')),
  });
  return fc
    .record({
      rows: fc.array(row, { minLength: 1, maxLength: 40 }),
      times: fc.oneof({ weight: 12, arbitrary: fc.constant(1) }, fc.constantFrom(3, 30)),
      delimiter: fc.constantFrom(',', ';', '\t'),
      ends: lineEnd,
      isEnded: fc.boolean(),
      encoding,
    })
    .map(({ rows, times, delimiter, ends, isEnded, encoding: of }) => {
      const texts = [args.header.join(delimiter)];
      for (let time = 0; time < times; time++) {
        for (const { before, isQuoted, cells, blanks } of rows) {
          if (blanks !== '') texts.push(blanks);
          const id = args.idOf(texts.length);
          texts.push([before + (isQuoted ? `"${id}"` : id), ...(args.fixed ?? []), ...cells].join(delimiter));
        }
      }
      let text = '';
      for (const [at, line] of texts.entries()) {
        text += line;
        if (isEnded || at + 1 < texts.length) text += ends[at % ends.length] ?? '\n';
      }
      return { bytes: encoded(text, of), lines: text.split(/\r\n|\r|\n/) };
    });
}

function encoded(text: string, encoding: string): Buffer {
  if (encoding === 'BOM') return Buffer.from(`\uFEFF${text}`);
  if (encoding === 'utf-16') return Buffer.from(`\uFEFF${text}`, 'utf16le');
  return Buffer.from(text, encoding === 'latin1' ? 'latin1' : 'utf8');
}
