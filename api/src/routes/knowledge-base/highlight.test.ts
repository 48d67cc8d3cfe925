import { expect, test } from 'vitest';
import { highlight } from './highlight.ts';

test('marks matches, and escapes the rest', () => {
  expect(highlight('a <b> \u0002refund\u0003 & "more"', [])).toBe(
    'a &lt;b&gt; <mark>refund</mark> &amp; &quot;more&quot;',
  );
});

test('repeated words in a question do not enlarge the answer', () => {
  const text = '退货'.repeat(500);
  const once = highlight(text, ['退货']);
  expect(
    highlight(
      text,
      Array.from({ length: 300 }, () => '退货'),
    ),
  ).toBe(once);
});

test('text without spaces is marked by whole words, or by pairs of letters', () => {
  expect(highlight('客户申请退货', ['退货'])).toBe('客户申请<mark>退货</mark>');
  expect(highlight('客户申请退货', ['退货政策'])).toBe('客户申请<mark>退货</mark>');
});
