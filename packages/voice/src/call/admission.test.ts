import { randomUUID } from 'node:crypto';
import { createCallTokens } from '@outdial/runtime';
import { expect, test } from 'vitest';
import { createAdmission } from './admission.ts';

const tokens = createCallTokens('s'.repeat(32));
const scope = { organizationId: randomUUID(), callId: randomUUID() };
const minute = 60_000;

/** An admission whose database clock differs from this machine's. */
function admission() {
  const clock = { ms: 0 };
  const base = Date.parse('2027-03-01T14:00:00Z');
  const now = (): Date => new Date(base + clock.ms);
  const asked: Array<PromiseWithResolvers<void>> = [];
  let isSlow = false;
  let verified = 0;
  const made = createAdmission({
    tokens: {
      async verify(token, at) {
        const found = await tokens.verify(token, at);
        verified += 1;
        return found;
      },
    },
    nowMs: () => clock.ms,
    async now() {
      const waiting = Promise.withResolvers<void>();
      asked.push(waiting);
      if (isSlow) await waiting.promise;
      return now();
    },
  });
  return {
    authorize: (token: string) => made.authorize(token),
    enter: (callId: string) => made.enter(callId),
    leave: (callId: string, wasHandled: boolean) => made.leave(callId, wasHandled),
    clock,
    asked,
    slow: () => (isSlow = true),
    verified: () => verified,
    mint: (lifetimeSeconds = 60) => tokens.mint(scope, { now: now(), lifetimeSeconds }),
  };
}

test('a token expires by the clock of the database, to the second', async () => {
  const { authorize, mint, clock } = admission();
  const token = await mint();
  expect(await authorize(token)).toEqual(scope);
  clock.ms += minute + 1_000;
  expect(await authorize(token)).toBeNull();
});

test('an invalid token reads nothing from the database', async () => {
  const { authorize, asked } = admission();
  expect(await authorize('nonsense')).toBeNull();
  expect(asked).toHaveLength(0);
});

test("an expired token reads the database's clock at most once a minute", async () => {
  const { authorize, mint, clock, asked } = admission();
  const token = await mint();
  clock.ms += 20 * minute;
  for (let attempt = 0; attempt < 50; attempt += 1) expect(await authorize(token)).toBeNull();
  expect(asked).toHaveLength(1);
  clock.ms += 2 * minute;
  for (let attempt = 0; attempt < 50; attempt += 1) expect(await authorize(token)).toBeNull();
  expect(asked).toHaveLength(2);
});

test('many tokens at once share one query', async () => {
  const { authorize, mint, asked, slow, verified } = admission();
  slow();
  const token = await mint();
  const all = Array.from({ length: 50 }, () => authorize(token));
  await expect.poll(verified).toBe(50);
  for (const one of asked) one.resolve();
  expect(await Promise.all(all)).toEqual(Array.from({ length: 50 }, () => scope));
  expect(asked).toHaveLength(1);
});

test('a call admits one connection at a time, and none once it was handled', () => {
  const { enter, leave } = admission();
  expect([enter('a'), enter('a'), enter('b')]).toEqual([true, false, true]);
  leave('a', false);
  expect(enter('a')).toBe(true);
  leave('a', true);
  expect(enter('a')).toBe(false);
});

test('the newest thousand handled calls are remembered', () => {
  const { enter, leave } = admission();
  for (let n = 0; n <= 1_000; n += 1) {
    enter(String(n));
    leave(String(n), true);
  }
  expect([enter('0'), enter('1'), enter('1000')]).toEqual([true, false, false]);
});
