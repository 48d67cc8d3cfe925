import { expect, test } from 'vitest';
import { SharedStrings } from './shared-strings.ts';
import type { XmlHandlers } from './xml-handlers.ts';

const mebibyte = 'x'.repeat(1_048_576);

test.each<[string, (handlers: XmlHandlers) => void]>([
  [
    'one text without end',
    ({ opentag, text }) => {
      opentag('t', {});
      for (let written = 0; written < 100; written++) text(mebibyte);
    },
  ],
  [
    'empty texts without end',
    ({ opentag, closetag }) => {
      for (let written = 0; written < 10_000_000; written++) {
        opentag('si', {});
        closetag('si');
      }
    },
  ],
])('%s is refused before it fills the memory', (_name, write) => {
  const handlers = new SharedStrings().handlers();
  handlers.opentag('si', {});
  expect(() => write(handlers)).toThrow('too much text');
});

test('a text is cut to the size of a cell', () => {
  const strings = new SharedStrings();
  const { opentag, text, closetag } = strings.handlers();
  opentag('si', {});
  opentag('t', {});
  for (let written = 0; written < 3; written++) text(mebibyte);
  closetag('t');
  closetag('si');
  expect(strings.at(0)).toHaveLength(32_768);
});
