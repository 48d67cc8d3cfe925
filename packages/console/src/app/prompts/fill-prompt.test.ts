import { expect, test } from 'vitest';
import { fillPrompt, placeholdersOf } from './fill-prompt.ts';

const prompt = 'Call {{name}} about {{ topic }}, {{name}}.';

test('a prompt names its places once, in their order', () => {
  expect(placeholdersOf(prompt)).toEqual(['name', 'topic']);
  expect(placeholdersOf('No places {here}')).toEqual([]);
});

test('separates values from text, and marks missing ones', () => {
  expect(fillPrompt(prompt, { name: 'Ada' })).toEqual([
    { kind: 'text', text: 'Call ' },
    { kind: 'value', name: 'name', text: 'Ada' },
    { kind: 'text', text: ' about ' },
    { kind: 'missing', name: 'topic' },
    { kind: 'text', text: ', ' },
    { kind: 'value', name: 'name', text: 'Ada' },
    { kind: 'text', text: '.' },
  ]);
  // A name that every object has is still missing.
  expect(fillPrompt('{{constructor}}', {})).toEqual([{ kind: 'missing', name: 'constructor' }]);
});

test('what was begun and never ended is text, however long', () => {
  const begun = `{{${' '.repeat(50_000)}`;
  expect(fillPrompt(begun, {})).toEqual([{ kind: 'text', text: begun }]);
  expect(placeholdersOf(begun)).toEqual([]);
  expect(fillPrompt('{{ }}', {})).toEqual([{ kind: 'text', text: '{{ }}' }]);
});
