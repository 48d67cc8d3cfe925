import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chooseAdopter } from './adoption.ts';

const names = fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 6 });

test('makes every process choose the same adopter, in whatever order it sees the others', () => {
  fc.assert(
    fc.property(fc.uuid(), names, (callId, registered) => {
      const adopter = chooseAdopter(callId, registered);
      expect(registered).toContain(adopter);
      expect(chooseAdopter(callId, registered.toReversed())).toBe(adopter);
    }),
  );
});

test('changes the adopter only to a process that has just started', () => {
  fc.assert(
    fc.property(fc.uuid(), names, fc.string({ minLength: 1 }), (callId, registered, other) => {
      const adopter = chooseAdopter(callId, registered);
      expect([adopter, other]).toContain(chooseAdopter(callId, [...registered, other]));
    }),
  );
});
