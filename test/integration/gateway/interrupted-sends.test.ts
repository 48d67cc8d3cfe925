import { expect, test } from 'vitest';
import { waitFor } from '../../support/stack/wait-for.ts';
import { useGatewayWorld, type GatewayWorld } from './gateway-world.ts';
import { json, type SeenRequest } from './scripted-gateway.ts';

const number = '+15557000100';
const posts = (seen: readonly SeenRequest[]) => seen.filter((one) => one.method === 'POST').length;

/** Starts a campaign with one number, whose first send breaks off. Returns the id of the call. */
async function interrupted(world: GatewayWorld): Promise<string> {
  await world.campaign([number]);
  await waitFor('sent', () => world.gateway.placed().length === 1);
  await waitFor('failed', async () => (await world.provider()).failures_in_a_row === 1);
  const [callId] = world.gateway.placed();
  if (callId === undefined) throw new Error('nothing was sent');
  expect(await world.row(callId)).toMatchObject({ phase: 'placing', accepted_at: null, line_held: true });
  return callId;
}

/** Expects one recipient with one attempt and one call. */
async function expectOneAttempt(world: GatewayWorld, callId: string): Promise<void> {
  const calls = await world.db.selectFrom('calls').select(['id', 'attempt']).execute();
  expect(calls).toEqual([{ id: callId, attempt: 1 }]);
  const recipients = await world.db.selectFrom('campaign_recipients').select('attempts').execute();
  expect(recipients).toEqual([{ attempts: 1 }]);
}

test('treats 409 as a call that the gateway had accepted', async () => {
  const world = await useGatewayWorld((request, seen) => {
    if (request.method !== 'POST') return json(404, {});
    return posts(seen) === 1 ? 'break' : json(409, { conversation_id: 'first' });
  });
  const callId = await interrupted(world);
  await world.clock.advance(13_000);
  await waitFor('accepted', async () => (await world.row(callId)).conversation_id === 'first');
  expect(world.gateway.placed()).toEqual([callId, callId]);
  await expectOneAttempt(world, callId);
});

test('keeps the call id if the gateway has no capacity for the second send', async () => {
  const world = await useGatewayWorld((request, seen) => {
    if (request.method !== 'POST') return json(404, {});
    const n = posts(seen);
    if (n === 1) return 'break';
    return n === 2 ? json(429, {}, { 'retry-after': '60' }) : json(201, {});
  });
  const callId = await interrupted(world);
  await world.clock.advance(13_000);
  await waitFor('deferred', async () => (await world.provider()).closed_reason === 'http_429');
  expect(await world.row(callId)).toMatchObject({ phase: 'placing', accepted_at: null, line_held: true });
  await expectOneAttempt(world, callId);

  await world.clock.advance(62_000);
  await waitFor('accepted', async () => (await world.row(callId)).accepted_at);
  expect(world.gateway.placed()).toEqual([callId, callId, callId]);
  await expectOneAttempt(world, callId);
});

test('retries while the gateway is unreachable, and finally closes the call as unknown', async () => {
  const world = await useGatewayWorld(() => 'break', { maxCallSeconds: 60 });
  const callId = await interrupted(world);
  await world.clock.advance(13_000);
  await waitFor('asked', () => world.gateway.seen.some((one) => one.method === 'GET'));
  expect((await world.row(callId)).phase).toBe('placing');
  // Past its longest duration it is hung up. If the hang-up fails for too long, its line is released.
  await world.clock.advance(91_000);
  await waitFor('hung up', () => world.gateway.seen.some((one) => one.method === 'DELETE'));
  await waitFor('kept', async () => (await world.row(callId)).hangup_requested_at);
  await world.clock.advance(70_000);
  const call = await world.until(callId, 'ended');
  expect(call).toMatchObject({
    outcome: 'unknown',
    external_status: 'hang_up_unconfirmed',
    line_held: false,
  });
  expect(world.gateway.placed()).toEqual([callId]);
});
