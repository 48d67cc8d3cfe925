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

test('the checker knows the countries without hours that ask for consent', () => {
  const elsewhere = readFileSync(new URL('elsewhere.ts', folder), 'utf8');
  const [, listed = ''] = /const consentOf.*?\{(.*?)\};/s.exec(elsewhere) ?? [];
  const asking = [...listed.matchAll(/^ {2}([A-Z]{2}):/gm)].map(([, country = '']) => country);
  expect(asking.length).toBeGreaterThan(5);
  expect(asking.filter((country) => texts[country]?.consent?.marketing !== 'express')).toEqual([]);
});

test('a rule stands in one file with its source, and what it says of caps and consent is in the checker too', () => {
  expect(new Set(ruled).size).toBe(ruled.length);
  for (const file of files) {
    expect(file).toMatch(/citation:/);
    const [, jurisdiction = ''] = /jurisdiction: '([^']+)'/.exec(file) ?? [];
    const caps = [
      ...(/\n {2}caps: \[(.*?)\],\n/s.exec(file)?.[1] ?? '').matchAll(/calls: (\d+), hours: (\d+)/g),
    ];
    const [, asked = ''] = /\n {2}consent: \{(.*?)\},\n {2}\w/s.exec(file) ?? [];
    const kinds = [...asked.matchAll(/(\w+): \{\s*bases: (express|written)Consent/g)];
    expect([jurisdiction, ...kinds.map(([, purpose, kind]) => `${purpose} ${kind}`)]).toEqual([
      jurisdiction,
      ...Object.entries(texts[jurisdiction]?.consent ?? {}).map((ask) => ask.join(' ')),
    ]);
    const read = (texts[jurisdiction]?.caps ?? '').split(' ').filter((cap) => cap !== '');
    expect([jurisdiction, ...caps.map(([, calls, hours]) => `${calls}/${hours}h`)]).toEqual([
      jurisdiction,
      ...read,
    ]);
  }
});
