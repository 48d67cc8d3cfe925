import { expect, test } from 'vitest';
import { decideFileKind, looksLikeText, wideEncoding } from './file-kind.ts';

const bytes = (text: string) => Buffer.from(text, 'latin1');

test.each([
  ['%PDF-1.7\n1 0 obj', 'PDF'],
  ['\xef\xbb\xbf%PDF-1.7\n', 'PDF'],
  ['\r\n\r\n%PDF-1.4\n', 'PDF'],
  ['plain text', 'TXT'],
  ['the header of a PDF is %PDF-1.4, followed by objects', 'TXT'],
  ['BM is how this text begins', 'TXT'],
  ['MZ and PK are letters too', 'TXT'],
  ['caf\xe9 in Latin-1', 'TXT'],
  ['\xff\xfeh\0i\0', 'TXT'],
  ['h\0e\0l\0l\0o\0', 'TXT'],
  ['\x1b$B$3\x1b(B', 'TXT'],
])('%j is %s', (content, fileType) => {
  expect(decideFileKind(bytes(content))).toEqual({ kind: 'accepted', fileType });
});

test.each([
  ['', /empty/],
  ['\x89PNG\r\n\x1a\n\0\0', /PNG/],
  ['GIF89a\x01\0\x01\0', /GIF/],
  ['PK\x03\x04\x14\0', /ZIP/],
  ['MZ\x90\0\x03\0', /Windows program/],
  ['{\\rtf1 text}', /Rich Text/],
  ['%!PS-Adobe-3.0', /PostScript/],
  ['GIF89a\0\n%PDF-1.4\n', /a GIF image and a PDF at once/],
  ['<html></html>\n%PDF-1.4\n1 0 obj\n<<>>', /other content before its PDF/],
  ['\x00\x01\x02\x03\x04', /neither/],
])('%j is refused', (content, reason) => {
  const decision = decideFileKind(bytes(content));
  expect(decision).toMatchObject({ kind: 'refused' });
  expect(JSON.stringify(decision)).toMatch(reason);
});

test.each([
  ['a\0b\0c\0', 'utf-16le'],
  ['\0a\0b\0c', 'utf-16be'],
  ['\xff\xfe\0\0a\0\0\0', 'utf-32le'],
  ['\0\0\xfe\xff\0\0\0a', 'utf-32be'],
  ['abc', null],
  ['\0\0\0\0', null],
])('%j is in %s', (content, encoding) => {
  expect(wideEncoding(bytes(content))).toBe(encoding);
});

test('text has no control characters but white space, and an end of file of older systems', () => {
  expect(looksLikeText(bytes('a\tb\r\nc\f\x1a'))).toBe(true);
  expect(looksLikeText(bytes('a\x1ab'))).toBe(false);
  expect(looksLikeText(bytes('a\x07'))).toBe(false);
});
