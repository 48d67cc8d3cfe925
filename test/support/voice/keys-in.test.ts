import { expect, test } from 'vitest';
import { fromMuLaw, keyTones, toMuLaw } from '@outdial/voice/sound';
import { keysIn } from './keys-in.ts';

test.each(['1', '0123456789*#ABCD', '4711', '99w9'])('%s is heard as these keys on a line', (digits) => {
  const line = fromMuLaw(toMuLaw(keyTones(digits)));
  expect(keysIn(line)).toBe(digits.replaceAll('w', ''));
});
