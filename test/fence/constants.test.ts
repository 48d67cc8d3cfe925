import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const upperCase = /^(?:export )?const ([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*)\b(?=\s*[:=])/gm;

/** The names of environment variables, as `.env.example` has them. */
const variables = new Set(
  [...readFileSync(join(root, '.env.example'), 'utf8').matchAll(/^([A-Z][A-Z0-9_]+)=/gm)].map(
    ([, name]) => name,
  ),
);

test('constants are in camel case, except names of environment variables', () => {
  const files = globSync('{api,scheduler,worker,db/src,packages,test,bin,examples}/**/*.{ts,tsx,mjs}', {
    cwd: root,
    exclude: (name) => name === 'node_modules' || name === 'generated' || name === 'fixtures',
  });
  expect(files.length).toBeGreaterThan(2_000);
  const found = files.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(upperCase)]
      .filter(([, name]) => !variables.has(name))
      .map(([, name]) => `${file}: ${name}`),
  );
  expect(found).toEqual([]);
});
