import fc from 'fast-check';
import { expect, test } from 'vitest';
import { boundedQuestion } from './bounded-question.ts';
import { pairs, unspacedParts } from './mark-words.ts';

test.each([
  ['when are you open', 'when are you open'],
  ['tea tea tea or tea', 'tea or'],
  ['"free return" -"no receipt" "free return"', '"free return" -"no receipt"'],
  ['退货 退货 price 退货', '退货 price'],
  ['', ''],
])('%j becomes %j', (question, asked) => {
  expect(boundedQuestion(question)).toBe(asked);
});

test('a question without spaces is cut', () => {
  expect(boundedQuestion('a-b/'.repeat(100)).match(/\w/g)).toHaveLength(48);
  expect(boundedQuestion('茶'.repeat(300))).toBe('茶'.repeat(48));
});

test('any question is reduced to a few words', () => {
  const unit = fc.constantFrom('a', 'b', ' ', '"', '-', '.', '退', '货', 'é', '\u0301');
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 500 }), (question) => {
      const asked = boundedQuestion(question);
      const found = unspacedParts(asked).flatMap(pairs);
      expect(found.length).toBeLessThanOrEqual(48);
      expect(asked.length).toBeLessThanOrEqual(2 * question.length);
    }),
  );
});
