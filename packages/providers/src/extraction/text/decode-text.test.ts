import { expect, test } from 'vitest';
import { decodeText } from './decode-text.ts';

const german = 'Wir prüfen Ihre Bestellung für die Größe „Übermaß“. ';
const bad = Buffer.from([0xff]);

test('one wrong byte in UTF-8 becomes one replacement character', () => {
  const bytes = Buffer.concat([Buffer.from(german.slice(0, 12)), bad, Buffer.from(german.slice(12))]);
  expect(decodeText(bytes)).toBe(`${german.slice(0, 12)}\ufffd${german.slice(12)}`);
});

test('one character of UTF-8 beside one wrong byte is enough: the rest is not read as something else', () => {
  const bytes = Buffer.concat([Buffer.from('The price is 40 €, '), bad, Buffer.from('as agreed.')]);
  expect(decodeText(bytes)).toBe('The price is 40 €, \ufffdas agreed.');
});

test('UTF-8 that is cut within a character loses only that one', () => {
  const bytes = Buffer.from(`${german}ü`);
  expect(decodeText(bytes.subarray(0, -1))).toBe(`${german}\ufffd`);
});

test.each([
  ['windows-1252', Buffer.from(german.replaceAll(/[„“]/g, '"').repeat(5), 'latin1'), 'für die Größe'],
  // 你好世界, with commas between.
  ['gb18030', Buffer.from('c4e3bac3cac0bde7a3ac'.repeat(20), 'hex'), '你好世界'],
])('%s is still detected', (_name, bytes, text) => {
  expect(decodeText(bytes)).toContain(text);
});
