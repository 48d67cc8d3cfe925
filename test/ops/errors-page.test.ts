import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { validationErrorTypes } from '@outdial/contracts';
import { expect, test } from 'vitest';
import { readErrorsPage } from '../support/errors-page.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const page = readErrorsPage();

/** The sources with error codes of answers. */
const sources = [
  'api/src/**/*.ts',
  'packages/engine/src/**/*.ts',
  'packages/core/src/errors.ts',
  'db/src/knowledge-base/*.ts',
];
const written = [
  /new (?:ConflictError|MalformedRequestError)\(\s*'([a-z_]+)'/g,
  /new RetryLaterError\(\s*\d{3},\s*'([a-z_]+)'/g,
  /readonly code(?:: string)? = '([a-z_]+)'/g,
  /detail: [^,]+, code: '([a-z_]+)'/g,
];

/** Internal codes, which are converted to another code or a 422. */
const inner = new Set(['invalid_campaign_fields', 'number_refused', 'values_missing']);

function codesOfSources(): Set<string> {
  const files = sources.flatMap((pattern) => globSync(pattern, { cwd: root }));
  const texts = files
    .filter((file) => !file.endsWith('.test.ts'))
    .map((file) => readFileSync(root + file, 'utf8'));
  const codes = texts.flatMap((text) =>
    written.flatMap((form) => [...text.matchAll(form)].map((match) => match[1] ?? '')),
  );
  return new Set(codes.filter((code) => !inner.has(code)));
}

test('docs/errors.md has every code that the sources can answer, with cause and remedy', () => {
  const codes = codesOfSources();
  expect(codes.size).toBeGreaterThan(30);
  expect([...codes].filter((code) => !page.statuses.has(code))).toEqual([]);
});

test('docs/errors.md has every type of fault', () => {
  expect(page.types).toEqual(validationErrorTypes);
});
