import { describe, expect, test } from 'vitest';
import { builtInRules, elsewhereJurisdiction } from '../../packages/core/src/compliance/rules/index.ts';
import { people } from './people.ts';
import { texts } from './texts.ts';

const ruled = builtInRules.filter(({ jurisdiction }) => jurisdiction !== elsewhereJurisdiction);

test('the checker has its own reading of every rule, and people to check it with', () => {
  expect(ruled.length).toBeGreaterThan(90);
  const names = ruled.map(({ jurisdiction }) => jurisdiction);
  expect(new Set(names).size).toBe(names.length);
  expect(names.filter((name) => texts[name] === undefined)).toEqual([]);
  const places = new Set(people.flatMap(({ country, region }) => [country, region]));
  expect(names.filter((name) => !places.has(name))).toEqual([]);
});

test('the checker reads no rule that does not exist', () => {
  const names = new Set([...ruled.map(({ jurisdiction }) => jurisdiction), 'elsewhere']);
  expect(Object.keys(texts).filter((name) => !names.has(name))).toEqual([]);
});

describe.each(ruled.map((rule) => [rule.jurisdiction, rule] as const))('the rule of %s', (name, rule) => {
  test('says the same of caps, consents and lists as the checker', () => {
    const caps = rule.caps?.map(({ calls, hours }) => `${calls}/${hours}h`) ?? [];
    expect(caps).toEqual((texts[name]?.caps ?? '').split(' ').filter((cap) => cap !== ''));
    const asked = (['marketing', 'service', 'debt_collection'] as const).flatMap((purpose) => {
      const bases = rule.consent?.[purpose]?.bases;
      if (bases === undefined) return [];
      const least = bases.includes('prior_express') ? 'express' : 'written';
      return [[purpose, bases.length === 0 ? 'impossible' : least]];
    });
    expect(Object.fromEntries(asked)).toEqual(texts[name]?.consent ?? {});
    expect(rule.registry?.goodForDays ?? 31).toBe(texts[name]?.listDays ?? 31);
  });

  test('has its source, and a country says which text on consent was read, or that none was found', () => {
    expect(rule.source.citation.length).toBeGreaterThan(10);
    expect(rule.source.asOf).toMatch(/^\d{4}-\d\d-\d\d$/);
    expect(rule.version).toBeGreaterThan(0);
    if (name.length > 2) return;
    const { consent } = rule;
    expect(consent?.asOf ?? 'not read').toMatch(/^(\d{4}-\d\d-\d\d|not read)$/);
    expect((consent?.none === undefined) !== (consent?.marketing === undefined)).toBe(true);
    expect(consent?.none ?? 'No text').toMatch(/^No text/);
    expect(consent?.marketing?.citation).not.toBe('');
  });
});
