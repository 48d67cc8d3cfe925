import { expect, test } from 'vitest';
import { markWords, unspacedParts } from './mark-words.ts';

test('text with spaces is left alone', () => {
  expect(markWords('Refund policy, Größe, возврат, 환불')).toBeNull();
});

test.each([
  ['退货政策', ' 退货 货政 政策 '],
  ['A计划 costs 3', 'A 计划  costs 3'],
  ['茶', ' 茶 '],
  ['คืนสินค้า', ' คืน นสิ สิน นค้ ค้า '],
])('%s is cut into pairs', (text, marked) => {
  expect(markWords(text)).toBe(marked);
});

test('the parts of a question', () => {
  expect(unspacedParts('price 退货 of 茶')).toEqual(['退货', '茶']);
});
