import { expect, test } from 'vitest';
import { cleanText } from './clean-text.ts';

test.each([
  ['line ends', 'a\r\nb\rc\u2028d', 'a\nb\nc\nd'],
  ['ligatures', 'o\ufb03ce \ufb01nds', 'office finds'],
  ['Arabic presentation forms', '\ufe8d\ufedf\ufee4\ufeae\ufedb\ufeb0', 'المركز'],
  ['combining marks', 'e\u0301', 'é'],
  ['soft hyphens and byte order marks', '\ufeffdocu\u00admentation', 'documentation'],
  ['kinds of spaces', 'a\u00a0b\u2009c\u3000d', 'a b c d'],
  ['control characters', 'a\u0000b\u0007c', 'abc'],
  ['lone surrogates', 'a\ud800b', 'a\ufffdb'],
  ['spaces before line ends', 'a  \t\nb', 'a\nb'],
  ['many empty lines', 'a\n\n\n\n\nb', 'a\n\nb'],
  ['radicals for characters', '⼈⼝⻘', '人口青'],
  ['Thai AM in two parts', 'จ\u0e4d\u0e32นวน น\u0e4d\u0e49\u0e32', 'จ\u0e33นวน น\u0e49\u0e33'],
  ['joiners of Persian', 'می\u200cخواهم', 'می\u200cخواهم'],
])('%s', (_what, text, clean) => {
  expect(cleanText(text)).toBe(clean);
});
