import { expect, test } from 'vitest';
import { layOutPage } from './lay-out-page.ts';
import type { PageItem } from './page-item.ts';

/** A run of ten-point type, with letters five points wide. */
function at(x: number, y: number, str: string): PageItem {
  return { str, transform: [10, 0, 0, 10, x, y], width: str.length * 5, height: 10, hasEOL: false };
}

test('lines that were broken because they were full are one paragraph', () => {
  const page = [
    at(50, 700, 'This paragraph goes on and'),
    at(50, 688, 'on until it ends here.'),
    at(50, 664, 'Another one begins.'),
  ];
  expect(layOutPage(page)).toBe('This paragraph goes on and on until it ends here.\n\nAnother one begins.');
});

test('lines that end early stay separate', () => {
  const page = [at(50, 700, 'Main Street 1'), at(50, 688, '12345 Springfield and its surroundings')];
  expect(layOutPage(page)).toBe('Main Street 1\n12345 Springfield and its surroundings');
});

test('hyphenated words are joined, and compounds keep their hyphen', () => {
  expect(layOutPage([at(50, 700, 'all of the docu-'), at(50, 688, 'mentation')])).toBe(
    'all of the documentation',
  );
  const page = [at(50, 700, 'a well-known and so a well-'), at(50, 688, 'known fact')];
  expect(layOutPage(page)).toBe('a well-known and so a well-known fact');
});

test('rows of a table keep their cells', () => {
  const page = [at(50, 700, 'Plan'), at(150, 700, 'Price'), at(50, 686, 'Basic'), at(150, 686, '10')];
  expect(layOutPage(page)).toBe('Plan\tPrice\nBasic\t10');
});

test('a justified line is not a table row', () => {
  const loose = [at(50, 700, 'set'), at(80, 700, 'very'), at(115, 700, 'loose'), at(50, 688, 'and then not')];
  expect(layOutPage(loose)).toBe('set very loose and then not');
});

test('columns are read one after the other', () => {
  const column = (x: number, words: string) =>
    ['first', 'second', 'third'].map((n, row) => at(x, 700 - row * 12, `${words} line ${n} of a column`));
  const text = layOutPage([...column(50, 'left'), ...column(300, 'right')]);
  expect(text.indexOf('left line third')).toBeLessThan(text.indexOf('right line first'));
});

test('a block at the top is read first, even if it comes last in the file', () => {
  expect(layOutPage([at(50, 100, 'Foot'), at(50, 700, 'Head')])).toBe('Head\n\nFoot');
});

test('right-to-left lines are read from the right', () => {
  expect(layOutPage([at(50, 700, 'עולם'), at(75, 700, 'שלום')])).toBe('שלום עולם');
});
