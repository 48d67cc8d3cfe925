import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { adapterNames } from '@outdial/providers/environment';
import { expect, test } from 'vitest';

const folder = join(import.meta.dirname, '../integration/provider-contract');

test.each(adapterNames)('the adapter %s has a test of the provider contract', (name) => {
  expect(readFileSync(join(folder, `${name}.test.ts`), 'utf8')).toMatch(
    new RegExp(`describeProviderContract\\(\\{\\s*name: '${name}'`),
  );
});
