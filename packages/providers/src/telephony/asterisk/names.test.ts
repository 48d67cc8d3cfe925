import { expect, test } from 'vitest';
import { callOfEndVariable, endVariableOf, isApplicationOf, newApplication } from './names.ts';

test('distinguishes the applications of rows whose names share a prefix', () => {
  expect(isApplicationOf('trunk', newApplication('trunk'))).toBe(true);
  expect(isApplicationOf('trunk', newApplication('trunk-2'))).toBe(false);
  expect(isApplicationOf('trunk-2', newApplication('trunk'))).toBe(false);
});

test('finds the call id in the name of its end variable, and in no other name', () => {
  const callId = '7c1c4b1e-6f1a-4b57-9f3b-1f6a9d6a3a11';
  expect(callOfEndVariable(endVariableOf(callId))).toBe(callId);
  expect(callOfEndVariable('OUTDIAL_END_x')).toBeNull();
  expect(callOfEndVariable(callId)).toBeNull();
});
