import { expect, test } from 'vitest';
import { createGiveWay } from './give-way.ts';

/** A simulated machine with this share of its CPU time in use. */
function machineInUse(share: () => number) {
  let nowMs = 0;
  let idleMs = 0;
  const pass = (ms: number) => {
    nowMs += ms;
    idleMs += ms * (1 - share());
  };
  const giveWay = createGiveWay({
    now: () => nowMs,
    readTimes: () => ({ total: nowMs, idle: idleMs }),
    wait: (ms) => Promise.resolve(pass(ms)),
  });
  pass(1_000);
  return {
    async waitedMs({ deliveries = 500, ageMs = 0, signal = new AbortController().signal } = {}) {
      const before = nowMs;
      await giveWay({ deliveries, ageMs, signal });
      return nowMs - before;
    },
  };
}

test('sends at once while the machine has time', async () => {
  expect(await machineInUse(() => 0.5).waitedMs()).toBe(0);
});

test('waits while all of it is in use, and no longer than two seconds', async () => {
  const busy = machineInUse(() => 1);
  expect(await busy.waitedMs()).toBe(2_000);
  expect(await busy.waitedMs()).toBe(2_000);
});

test('continues as soon as there is time', async () => {
  let passed = 0;
  expect(await machineInUse(() => (passed++ < 3 ? 1 : 0.5)).waitedMs()).toBe(750);
});

test('never waits with few deliveries', async () => {
  expect(await machineInUse(() => 1).waitedMs({ deliveries: 99 })).toBe(0);
});

test('never waits with an event that is older than 30 seconds', async () => {
  const busy = machineInUse(() => 1);
  expect(await busy.waitedMs({ ageMs: 30_000 })).toBe(0);
  expect(await busy.waitedMs({ ageMs: 29_000 })).toBe(1_000);
});

test('stops waiting when its job is aborted', async () => {
  expect(await machineInUse(() => 1).waitedMs({ signal: AbortSignal.abort() })).toBe(0);
});
