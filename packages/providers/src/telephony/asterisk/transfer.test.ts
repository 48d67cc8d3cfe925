import type { Briefing } from '@outdial/core';
import { expect, test } from 'vitest';
import type { AriAnswer, AriClient } from './ari-client.ts';
import { transferCall } from './transfer.ts';
import { fakeAri, trunkSettings } from './trunk.fixture.ts';

const callId = 'b3f1a0c2-1111-4222-8333-444455556666';
const done = (body: unknown): AriAnswer => ({ kind: 'done', status: 200, body });

/**
 * An Asterisk on which the target answers at once. What it was asked to do with the channels and the bridge.
 * @param placed how it answers the request to call the target
 */
function asterisk(refuses: (step: string) => boolean = () => false, placed = done(null)) {
  const steps: string[] = [];
  const ari = fakeAri(({ method, path, query }) => {
    const seen = path === '/applications' ? [{ name: 'outdial-trunk-0123abcd' }] : { id: 'x', state: 'Up' };
    if (method === 'GET') return Promise.resolve(done(seen));
    const about = path.replaceAll(callId, 'call');
    const step = `${method} ${about}${query?.['channel'] ? ` ${query['channel'].replace(callId, 'call')}` : ''}`;
    if (!about.includes('variable')) steps.push(step);
    if (step === called) return Promise.resolve(placed);
    return Promise.resolve(refuses(step) ? { kind: 'refused', status: 404, message: 'no' } : done(null));
  });
  return { ari, steps };
}

function transfer(ari: AriClient, brief: Briefing) {
  const request = { callId, toPhone: '+12125550190', ringTimeoutSeconds: 5, maxCallSeconds: 60, brief };
  return transferCall(ari, trunkSettings(), request, new AbortController().signal);
}

const hold = [
  'POST /bridges/call-bridge/removeChannel call',
  'POST /channels/call/play/call-hold',
  'POST /bridges/call-bridge/addChannel call-transfer',
];
const called = 'POST /channels/call-transfer';
const targetEnds = 'DELETE /channels/call-transfer';
const holdEnds = 'DELETE /playbacks/call-hold';
const isBack = 'POST /bridges/call-bridge/addChannel call';

test('the person is on hold while the target is asked, and joins a target who takes the call', async () => {
  const { ari, steps } = asterisk();
  expect(await transfer(ari, (join) => join())).toBe('connected');
  expect(steps).toEqual([called, ...hold, holdEnds, isBack]);
});

test.each([
  [{ kind: 'broken', reason: 'the operation was aborted due to timeout' }, 'connected'],
  [{ kind: 'not_ari', status: 504 }, 'connected'],
  [{ kind: 'refused', status: 400, message: 'no such endpoint' }, 'failed'],
  [{ kind: 'not_connected', reason: 'ECONNREFUSED' }, 'failed'],
] as const)('a target may ring after the answer %j: the transfer is %s', async (placed, result) => {
  const { ari, steps } = asterisk(undefined, placed);
  expect(await transfer(ari, (join) => join())).toBe(result);
  expect(steps).toEqual(result === 'failed' ? [called] : [called, ...hold, holdEnds, isBack]);
});

test('the person is back if the target does not take the call', async () => {
  const { ari, steps } = asterisk();
  expect(await transfer(ari, async (join) => (await join()) && false)).toBe('not_taken');
  expect(steps).toEqual([called, ...hold, holdEnds, targetEnds, isBack]);
});

test('a person who was never on hold is left where they are', async () => {
  const { ari, steps } = asterisk();
  expect(await transfer(ari, () => Promise.resolve(false))).toBe('not_taken');
  expect(steps).toEqual([called, targetEnds]);
});

test('a person who cannot be put on hold hears nothing of the briefing', async () => {
  const { ari, steps } = asterisk((step) => step.includes('/play/'));
  expect(await transfer(ari, (join) => join())).toBe('not_taken');
  expect(steps).toEqual([called, ...hold.slice(0, 2), holdEnds, targetEnds, isBack]);
});

test('a person who cannot be brought back from hold is hung up on, since they would hear nothing', async () => {
  const { ari, steps } = asterisk((step) => step === isBack);
  expect(await transfer(ari, (join) => join())).toBe('failed');
  expect(steps.at(-1)).toBe('DELETE /channels/call');
});
