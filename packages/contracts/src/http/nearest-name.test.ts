import { expect, test } from 'vitest';
import { nearestName } from './nearest-name.ts';

test.each([
  ['phone', ['phone_number', 'reason'], 'phone_number'],
  ['prompts', ['name', 'prompt'], 'prompt'],
  ['no-answer', ['busy', 'no_answer'], 'no_answer'],
  ['system_prompt', ['name', 'prompt'], 'prompt'],
  ['date', ['start_date', 'end_date'], null],
  ['__', ['start_date'], null],
])('%s among %j was probably meant to be %s', (name, known, meant) => {
  expect(nearestName(name, known)).toBe(meant);
});

test.each([
  ['nmae', 'name'],
  ['Name', 'name'],
  ['peple', 'people'],
  ['something_else', null],
  ['x', null],
])('%s was probably meant to be %s', (name, meant) => {
  expect(nearestName(name, ['name', 'people'])).toBe(meant);
});
