import fc from 'fast-check';
import { expect, it } from 'vitest';
import { chooseHeir } from './adoption.ts';

const names = fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 6 });

it('lets every process choose the same heir, in whichever order it sees the others', () => {
  fc.assert(
    fc.property(fc.uuid(), names, (callId, registered) => {
      const heir = chooseHeir(callId, registered);
      expect(registered).toContain(heir);
      expect(chooseHeir(callId, registered.toReversed())).toBe(heir);
    }),
  );
});

it('keeps the heir while others come', () => {
  fc.assert(
    fc.property(fc.uuid(), names, fc.string({ minLength: 1 }), (callId, registered, other) => {
      const heir = chooseHeir(callId, registered);
      expect([heir, other]).toContain(chooseHeir(callId, [...registered, other]));
    }),
  );
});
