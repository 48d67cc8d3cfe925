import { describe, expect, test } from 'vitest';
import { cutPassages } from './passages/cut-passages.ts';
import { checkPdfStructure } from './pdf/check-structure.ts';
import { layOutPage } from './pdf/lay-out-page.ts';
import type { PageItem } from './pdf/page-item.ts';
import { extractTextPages } from './text/extract-text.ts';

const limits = { maxPages: 1_000_000, maxTextChars: 1_000_000_000 };

/** The processor time of this thread, which a busy machine changes little. */
function costMs(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

/** How much more the large work costs than the small. Work that is not linear fails each time, a disturbance only some times. */
function ratioOf(large: () => unknown, small: () => unknown): number {
  let least = Infinity;
  for (let tries = 0; tries < 4 && least >= linearGrowth; tries++) {
    least = Math.min(least, measuredRatio(large, small));
  }
  return least;
}

/**
 * Whatever disturbs a run only makes it dearer, so the cheapest of several is nearest to the truth. They alternate, so that a disturbance hits both.
 */
function measuredRatio(large: () => unknown, small: () => unknown): number {
  const [ofLarge, ofSmall]: [number[], number[]] = [[], []];
  for (let run = 0; run < 5; run++) {
    ofSmall.push(costMs(small));
    ofLarge.push(costMs(large));
    if (Math.min(...ofLarge) > farTooMuchMs) return Infinity;
  }
  return Math.min(...ofLarge) / Math.max(Math.min(...ofSmall), enoughMs);
}

/**
 * How much more four times the input costs: four times as much if the time is linear, sixteen times if it is quadratic. Grows the input until its cost can
 * be measured. Gives up if a small input already costs far too much.
 */
function growthOf(work: (size: number) => () => unknown): number {
  let size = 2_000;
  while (costMs(work(size)) < enoughMs && size < 500_000) size *= 4;
  return ratioOf(work(size * 4), work(size));
}

const enoughMs = 3;
const farTooMuchMs = 10_000;
const linearGrowth = 9;

const text =
  (piece: string, around = '') =>
  (size: number) =>
    around + piece.repeat(size) + around;

describe('extracting text takes linear time', () => {
  test.each([
    ['spaces', text(' ', 'x')],
    ['spaces and tabs', text(' \t', 'x')],
    ['spaces before a line end', text('          \n', 'x')],
    ['line ends', text('\n', 'x')],
    ['returns', text('\r', 'x')],
    ['spaces that do not break', text('\u00a0', 'x')],
    ['one word without end', text('a')],
    ['one number without end', text('1 ')],
    ['hyphens', text('a-')],
    ['marks on one letter', text('\u0301\u0323', 'x')],
    ['marks of many classes', text('\u0301\u0323\u0315\u031b\u0345', 'x')],
    ['doors', text('\u2f3e')],
    ['radicals', text('\u2f00')],
    ['Arabic shapes that stand for a sentence', text('\ufdfa')],
    ['Thai vowels', text('\u0e32\u0e33')],
    ['Thai marks', text('\u0e4d\u0e48')],
    ['Chinese without a stop', text('退货')],
    ['Hangul letters', text('\u1100\u1161\u11a8')],
    ['stops', text('. ')],
    ['stops before numbers', text('a. 1 2 3 ')],
    ['brackets after a stop', text(')', 'a.')],
    ['angle brackets', text('<')],
    ['form feeds', text('a\f')],
    ['half characters', text('\ud800')],
    ['joiners', text('\u200d', 'x')],
    ['paragraphs', text('a\n\n')],
  ])('%s', (_, make) => {
    const growth = growthOf((size) => {
      const bytes = Buffer.from(`head ${make(size)}`, 'utf8');
      return () => cutPassages(extractTextPages(bytes, limits));
    });
    expect(growth).toBeLessThan(linearGrowth);
  });
});

function item(at: { x: number; y: number; str: string; width?: number }): PageItem {
  const { x, y, str, width = str.length * 5 } = at;
  return { str, transform: [10, 0, 0, 10, x, y], width, height: 10, hasEOL: false };
}

const items = (size: number, one: (at: number) => PageItem) => {
  const page = Array.from({ length: size }, (_, at) => one(at));
  return () => layOutPage(page);
};

describe('laying out a page takes linear time', () => {
  test.each<[string, (size: number) => () => unknown]>([
    ['a word without end', (size) => items(1, () => item({ x: 0, y: 0, str: 'a'.repeat(size) }))],
    ['hyphens without end', (size) => items(1, () => item({ x: 0, y: 0, str: 'a-'.repeat(size) }))],
    ['spaces in one run', (size) => items(1, () => item({ x: 0, y: 0, str: `a${' '.repeat(size)}b` }))],
    ['one line of many words', (size) => items(size, (at) => item({ x: at * 20, y: 0, str: `w${at}` }))],
    [
      'two lines of many cells',
      (size) =>
        items(size * 2, (at) => item({ x: (at % size) * 15, y: at < size ? 700 : 688, str: 'c', width: 1 })),
    ],
    [
      'a paragraph of many full lines',
      (size) => items(size, (at) => item({ x: 0, y: -at * 12, str: 'a full line of words' })),
    ],
    [
      'a paragraph of hyphenated words',
      (size) => items(size, (at) => item({ x: 0, y: -at * 12, str: 'word and docu-' })),
    ],
    [
      'columns set one after the other',
      (size) =>
        items(size, (at) => item({ x: Math.floor(at / 50) * 100, y: 700 - (at % 50) * 12, str: 'cell' })),
    ],
    [
      'cells far beside each other',
      (size) => items(size, (at) => item({ x: at * 100, y: (at % 2) * 30, str: 'c' })),
    ],
    ['lines from the bottom up', (size) => items(size, (at) => item({ x: 0, y: at * 30, str: 'a line' }))],
    [
      'words of two directions in one line',
      (size) => items(size, (at) => item({ x: at * 20, y: 0, str: at % 3 === 0 ? 'latin' : 'עברית' })),
    ],
  ])('%s', (_, make) => {
    expect(growthOf(make)).toBeLessThan(linearGrowth);
  });
});

describe('checking the structure of a PDF takes linear time', () => {
  const look = (file: Buffer<ArrayBuffer>) => () => {
    try {
      checkPdfStructure(file);
    } catch {
      // Only the time matters here.
    }
  };

  test('any number of records that look like the end of an archive', () => {
    const body = Buffer.alloc(2_000_000, '%PDF-1.4 %%EOF');
    const withRecords = (count: number) => {
      const records = Array.from({ length: count }, (_, at) => {
        const record = Buffer.from('PK\x05\x06'.padEnd(22, '\0'), 'latin1');
        record.writeUInt16LE((count - 1 - at) * 22, 20);
        return record;
      });
      return look(Buffer.concat([body, ...records]));
    };
    expect(ratioOf(withRecords(400), withRecords(1))).toBeLessThan(linearGrowth);
  });

  test.each([
    ['one number', '1'],
    ['many numbers', '1 '],
    ['long numbers', `${'1'.repeat(1_000)} `],
  ])('any content after its end: %s', (_, piece) => {
    const behind = (chars: number) =>
      look(Buffer.from(`%PDF-1.4 %%EOF\n${piece.repeat(chars / piece.length)}`));
    expect(ratioOf(behind(64_000), behind(16_000))).toBeLessThan(linearGrowth);
  });
});
