import { globSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';
import { expect, test } from 'vitest';
import { allMapped, testsOf } from './tests-of.ts';

const root = join(import.meta.dirname, '../..');
const files = globSync('test/{browser,e2e,integration}/**/*.test.ts', { cwd: root });

test('every row names tests that exist', () => {
  expect(allMapped.filter((glob) => !files.some((file) => matchesGlob(file, glob)))).toEqual([]);
});

test.each([
  ['packages/core/src/line-share.ts', 'test/integration/engine/organization-share.test.ts'],
  ['db/src/webhooks/claim-events.ts', 'test/integration/webhooks/delivery.test.ts'],
  ['api/src/routes/consents/import.ts', 'test/integration/api/consents.test.ts'],
  ['db/migrations/0001_base.ts', 'test/integration/database/warm-up.test.ts'],
  ['packages/queues/src/index.ts', 'test/integration/queues/delivery.test.ts'],
  ['packages/core/src/errors.ts', 'test/integration/engine/control.test.ts'],
])('a change of %s runs %s', (file, expected) => {
  expect(testsOf(file).some((glob) => matchesGlob(expected, glob))).toBe(true);
});

test('a change of one subject leaves the others alone', () => {
  const chosen = testsOf('db/src/webhooks/claim-events.ts');
  expect(chosen.some((glob) => matchesGlob('test/integration/voice/drain.test.ts', glob))).toBe(false);
});
