import { expect, test } from 'vitest';
import { ProviderQuestions } from './provider-questions.ts';

test('providers that do not answer leave questions to others, until they answer', () => {
  const questions = new ProviderQuestions();
  const begin = (provider: string, count: number) =>
    Array.from({ length: count }, () => questions.begin(provider)).filter((end) => end !== null).length;
  expect(begin('a', 100)).toBe(100);
  for (const provider of ['a', 'b']) questions.note(provider, { isAnswered: false });
  expect([begin('a', 100), begin('b', 100)]).toEqual([8, 7]);
  expect(begin('c', 100)).toBe(100);
  questions.note('a', { isAnswered: true });
  expect(begin('a', 100)).toBe(100);
});
