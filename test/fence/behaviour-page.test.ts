import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

test('docs/behaviour.md links to the behaviour of exactly the existing endpoints', () => {
  const endpoints = read('packages/client/src/generated/openapi.ts').matchAll(/^ {4}"\/api\/v1(.+)": \{$/gm);
  const index = read('docs/behaviour.md').split('## Index of endpoints')[1] ?? '';
  const listed = index.matchAll(/`(\/.+?)`/g);
  expect(new Set(Array.from(listed, ([, path]) => path))).toEqual(
    new Set(Array.from(endpoints, ([, path]) => path)),
  );
});
