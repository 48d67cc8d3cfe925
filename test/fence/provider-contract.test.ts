import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { adapterNames } from '@outdial/providers/environment';
import { expect, it } from 'vitest';

const folder = join(import.meta.dirname, '../integration/provider-contract');

it.each(adapterNames)('%s, as every adapter of the registry, is put to the provider contract', (name) => {
  expect(readFileSync(join(folder, `${name}.test.ts`), 'utf8')).toMatch(
    new RegExp(`describeProviderContract\\(\\{\\s*name: '${name}'`),
  );
});
