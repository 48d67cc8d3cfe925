import { expect, test } from 'vitest';
import { createPlaces } from './places.ts';

const limits = { together: 6, ofStrangers: 3, ofOrganization: 2 };

test('strangers of one address leave places for others', () => {
  const places = createPlaces(limits);
  const strangers = [1, 2, 3].map(() => places.take('192.0.2.1'));
  expect(strangers.every((place) => place !== null)).toBe(true);
  expect(places.take('192.0.2.1')).toBeNull();
  expect(places.take('192.0.2.2')).not.toBeNull();
  strangers[0]?.leave();
  strangers[0]?.leave();
  expect(places.take('192.0.2.1')).not.toBeNull();
  expect(places.take('192.0.2.1')).toBeNull();
});

test('one organization leaves places for others, from any number of addresses', () => {
  const places = createPlaces(limits);
  const enter = (address: string, organizationId: string) => {
    const place = places.take(address);
    if (place?.nowOf(organizationId) === true) return place;
    place?.leave();
    return null;
  };
  const first = enter('192.0.2.1', 'evil');
  expect(enter('192.0.2.2', 'evil')).not.toBeNull();
  expect(enter('192.0.2.3', 'evil')).toBeNull();
  expect(enter('192.0.2.1', 'acme')).not.toBeNull();
  first?.leave();
  expect(enter('192.0.2.3', 'evil')).not.toBeNull();
});

test('there are no more requests than places', () => {
  const places = createPlaces(limits);
  const taken = Array.from({ length: 6 }, (_, n) => places.take(`192.0.2.${n}`));
  expect(places.take('192.0.2.99')).toBeNull();
  taken[0]?.leave();
  expect(places.take('192.0.2.99')).not.toBeNull();
});
