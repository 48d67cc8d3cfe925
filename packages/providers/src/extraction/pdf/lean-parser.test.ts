import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { fits, leanChanges, makeLean } from './lean-parser.ts';

const require = createRequire(import.meta.url);
const pdfjs = createRequire(require.resolve('pdf-parse'));
const source = readFileSync(pdfjs.resolve('pdfjs-dist/legacy/build/pdf.worker.mjs'), 'utf8');

test.each(leanChanges)('the change of $from applies to the installed pdf.js', ({ from, to }) => {
  expect(fits(source, from)).toBe(true);
  expect(makeLean(source)).toContain(to);
});

test('the installed pdf.js skips font programs if the document maps its glyphs', () => {
  for (const name of ['adjustTrueTypeToUnicode', 'adjustType1ToUnicode']) {
    const body = source.slice(source.indexOf(`function ${name}(`)).slice(0, 400);
    expect(body).toMatch(/if \(properties\.hasIncludedToUnicodeMap\) \{\s+return;/);
  }
});

test('a source that does not match is left unchanged', () => {
  expect(makeLean('if (!file) return;')).toBe('if (!file) return;');
  const twice = leanChanges.map(({ from }) => `${from}\n${from}`).join('\n');
  expect(makeLean(twice)).toBe(twice);
});
