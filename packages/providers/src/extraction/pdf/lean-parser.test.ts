import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { fits, leanChanges, makeLean } from './lean-parser.ts';

const require = createRequire(import.meta.url);
const pdfjs = createRequire(require.resolve('pdf-parse'));
const source = readFileSync(pdfjs.resolve('pdfjs-dist/legacy/build/pdf.worker.mjs'), 'utf8');

test.each(leanChanges)('the installed pdf.js takes the change of $from', ({ from, to }) => {
  expect(fits(source, from)).toBe(true);
  expect(makeLean(source)).toContain(to);
});

test('the installed pdf.js skips the programs of fonts if the document maps its glyphs', () => {
  for (const name of ['adjustTrueTypeToUnicode', 'adjustType1ToUnicode']) {
    const body = source.slice(source.indexOf(`function ${name}(`)).slice(0, 400);
    expect(body).toMatch(/if \(properties\.hasIncludedToUnicodeMap\) \{\s+return;/);
  }
});

test('a source that has changed is left as it is', () => {
  expect(makeLean('if (!file) return;')).toBe('if (!file) return;');
  const twice = leanChanges.map(({ from }) => `${from}\n${from}`).join('\n');
  expect(makeLean(twice)).toBe(twice);
});
