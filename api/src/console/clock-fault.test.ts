import { expect, test } from 'vitest';
import { clockFaultOf } from './clock-fault.ts';

const code = 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED';

test('a new token that has expired means a clock that is ahead', () => {
  const details = { claim: 'exp', now: 1_800_000_100, tolerance: 30, claims: { exp: 1_800_000_000 } };
  const cause = new Error('unexpected JWT "exp"', { cause: details });
  const error = Object.assign(new Error('JWT timestamp claim value failed validation', { cause }), { code });
  expect(clockFaultOf(error)).toEqual({ claim: 'exp', aheadSeconds: 100 });
});

test('other failures have nothing to do with the clock', () => {
  const details = { claim: 'auth_time', now: 1_800_000_100, tolerance: 30, claims: {} };
  const cause = new Error('too much time', { cause: details });
  expect(clockFaultOf(Object.assign(new Error('too much time', { cause }), { code }))).toBeNull();
  expect(clockFaultOf(new Error('unexpected JWT "iss"'))).toBeNull();
});
