import { expect, test } from 'vitest';
import { nearestName } from './nearest-name.ts';

test.each([
  ['nmae', 'name'],
  ['Name', 'name'],
  ['peple', 'people'],
  ['something_else', null],
  ['x', null],
])('%s was probably meant to be %s', (name, meant) => {
  expect(nearestName(name, ['name', 'people'])).toBe(meant);
});
