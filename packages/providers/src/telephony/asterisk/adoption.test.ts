import fc from 'fast-check';
import { expect, it } from 'vitest';
import { chooseAdopter } from './adoption.ts';

const names = fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 6 });

it('lets every process choose the same adopter, in whichever order it sees the others', () => {
  fc.assert(
    fc.property(fc.uuid(), names, (callId, registered) => {
      const adopter = chooseAdopter(callId, registered);
      expect(registered).toContain(adopter);
      expect(chooseAdopter(callId, registered.toReversed())).toBe(adopter);
    }),
  );
});

it('keeps the adopter while others come', () => {
  fc.assert(
    fc.property(fc.uuid(), names, fc.string({ minLength: 1 }), (callId, registered, other) => {
      const adopter = chooseAdopter(callId, registered);
      expect([adopter, other]).toContain(chooseAdopter(callId, [...registered, other]));
    }),
  );
});
