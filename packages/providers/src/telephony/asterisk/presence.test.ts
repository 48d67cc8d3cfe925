import { expect, it } from 'vitest';
import { aliveVariableOf } from './names.ts';
import { createPresence } from './presence.ts';

const mine = 'outdial-trunk-00000001';
const other = 'outdial-trunk-00000002';

function setup() {
  let nowMs = 1_000;
  const ari = {
    authorization: '',
    ask: () => Promise.resolve({ kind: 'done' as const, status: 204, body: null }),
    open: () => Promise.reject(new Error('nothing to open')),
  };
  const presence = createPresence({ ari, application: mine, provider: 'trunk', nowMs: () => nowMs });
  return {
    presence,
    after: (ms: number) => {
      nowMs += ms;
    },
  };
}
const present = (...applications: string[]) => ({ applications, channels: [] });

it('takes a process for dead that is registered and says nothing', () => {
  const { presence, after } = setup();
  expect(presence.alive(present(mine, other))).toEqual([mine, other]);
  after(6_000);
  presence.heard(aliveVariableOf(other), '4');
  after(6_000);
  expect(presence.alive(present(mine, other))).toEqual([mine, other]);
  after(1_500);
  expect(presence.alive(present(mine, other))).toEqual([mine]);
});

it('takes a process for dead at once that has said that it leaves', () => {
  const { presence } = setup();
  presence.heard(aliveVariableOf(other), '');
  expect(presence.alive(present(mine, other))).toEqual([mine]);
});

it('takes a process for dead at once whose application is gone, and knows those of its own row only', () => {
  const { presence } = setup();
  expect(presence.alive(present(mine, 'outdial-berlin-00000003', 'another'))).toEqual([mine]);
});
