import { expect, test } from 'vitest';
import { aliveVariableOf } from './names.ts';
import { createHeartbeat } from './heartbeat.ts';
import { fakeAri } from './trunk.fixture.ts';

const mine = 'outdial-trunk-00000001';
const other = 'outdial-trunk-00000002';

function setup() {
  let nowMs = 1_000;
  const heartbeat = createHeartbeat({
    ari: fakeAri(),
    application: mine,
    provider: 'trunk',
    answers: false,
    nowMs: () => nowMs,
  });
  return {
    heartbeat,
    after: (ms: number) => {
      nowMs += ms;
    },
  };
}
const present = (...applications: string[]) => ({ applications, channels: [] });

test('takes a process for dead that is registered but sends no heartbeat', () => {
  const { heartbeat, after } = setup();
  expect(heartbeat.alive(present(mine, other))).toEqual([mine, other]);
  after(6_000);
  heartbeat.heard(aliveVariableOf(other), '4');
  after(6_000);
  expect(heartbeat.alive(present(mine, other))).toEqual([mine, other]);
  after(1_500);
  expect(heartbeat.alive(present(mine, other))).toEqual([mine]);
});

test('takes a process for dead as soon as it reports its end', () => {
  const { heartbeat } = setup();
  heartbeat.heard(aliveVariableOf(other), '');
  expect(heartbeat.alive(present(mine, other))).toEqual([mine]);
});

test('takes a process for dead as soon as its application is gone, and lists only those of its own row', () => {
  const { heartbeat } = setup();
  expect(heartbeat.alive(present(mine, 'outdial-berlin-00000003', 'another'))).toEqual([mine]);
});
