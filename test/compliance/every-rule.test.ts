import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { people } from './people.ts';
import { texts } from './texts.ts';

const folder = new URL('../../packages/core/src/compliance/rules/', import.meta.url);
const files = readdirSync(folder)
  .filter((name) => name !== 'index.ts' && name !== 'holidays.ts' && name !== 'elsewhere.ts')
  .map((name) => readFileSync(new URL(name, folder), 'utf8'));

/** The jurisdictions of the rules, by their files. */
const ruled = files.flatMap((file) =>
  [...file.matchAll(/jurisdiction: '([A-Z]{2}(?:-[A-Z]{2})?)'/g)].map(
    ([, jurisdiction = '']) => jurisdiction,
  ),
);

test('the checker has its own reading of every rule, and people to check it with', () => {
  expect(ruled.length).toBeGreaterThan(60);
  expect(ruled.filter((jurisdiction) => texts[jurisdiction] === undefined)).toEqual([]);
  const places = new Set(people.flatMap(({ country, region }) => [country, region]));
  expect(ruled.filter((jurisdiction) => !places.has(jurisdiction))).toEqual([]);
});

test('a rule stands in one file with its source, and a rule with caps has them in the checker too', () => {
  expect(new Set(ruled).size).toBe(ruled.length);
  for (const file of files) {
    expect(file).toMatch(/citation:/);
    const [, jurisdiction = ''] = /jurisdiction: '([^']+)'/.exec(file) ?? [];
    const caps = [
      ...(/\n {2}caps: \[(.*?)\],\n/s.exec(file)?.[1] ?? '').matchAll(/calls: (\d+), hours: (\d+)/g),
    ];
    const read = (texts[jurisdiction]?.caps ?? '').split(' ').filter((cap) => cap !== '');
    expect([jurisdiction, ...caps.map(([, calls, hours]) => `${calls}/${hours}h`)]).toEqual([
      jurisdiction,
      ...read,
    ]);
  }
});
