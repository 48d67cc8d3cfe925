import { expect, test } from 'vitest';
import { waitFor } from '../../support/stack/wait-for.ts';
import { useTwilioWorld, type TwilioWorld } from './twilio-world.ts';

const numbers = (count: number) => Array.from({ length: count }, (_, n) => `+155570${100 + n}00`);

/** The recipients, once none is being dialed. */
const resting = (world: TwilioWorld) =>
  waitFor('no call is on its way', async () => {
    const rows = await world.db
      .selectFrom('campaign_recipients')
      .select(['attempts', 'state', 'last_outcome'])
      .execute();
    return rows.some(({ state }) => state === 'dialing') ? null : rows;
  });

/** The recipients, once all are done. Pauses of the circuit pass while no call is on its way. */
const done = (world: TwilioWorld) =>
  waitFor('all are done', async () => {
    const rows = await resting(world);
    if (rows.every(({ state }) => state === 'done')) return rows;
    await world.skipPause();
    return null;
  });

test.each([
  [{ sipCode: 403 }, /^sip_403: .*account/],
  [{ errorCode: 10001 }, /^twilio_10001: .*balance/],
  [{ errorCode: 10004, sipCode: 503 }, /^twilio_10004: .*concurrency/],
  // The adapters' own tests have every code.
])('%j at the end of every call uses no attempt', async (refusal, reason) => {
  const world = await useTwilioWorld();
  world.log.expect(/its circuit is open/);
  world.twilio.refuse(() => refusal);
  const campaignId = await world.campaign(numbers(12), { max_concurrent_calls: 6 });
  await waitFor('waiting', async () => (await world.waitingFor(campaignId)) === 'provider');
  expect((await resting(world)).map(({ attempts }) => attempts)).toEqual(Array.from({ length: 12 }, () => 0));
  expect((await world.provider()).closed_reason).toMatch(reason);
  // Twilio's acceptance of the next probes does not close the circuit, so the pauses grow.
  await waitFor('another probe', async () => {
    await resting(world);
    await world.skipPause();
    return (await world.provider()).failures_in_a_row >= 6;
  });
  const dialed = world.twilio.calls.size;
  expect(dialed).toBeLessThan(12);

  world.twilio.refuse(null);
  expect(await done(world)).toEqual(
    Array.from({ length: 12 }, () => ({ attempts: 1, state: 'done', last_outcome: 'completed' })),
  );
  await waitFor('the circuit to be closed', async () => {
    const { failures_in_a_row: failures, closed_reason: reason } = await world.provider();
    return failures === 0 && reason === null;
  });
  // The webhooks and exports of a caller know only the attempts that count.
  const events = await world.db.selectFrom('outbox').select(['type', 'call_id']).execute();
  expect(new Set(events.flatMap(({ call_id: callId }) => callId ?? [])).size).toBe(12);
});

test.each([{ sipCode: 404 }, { sipCode: 484 }, { sipCode: 604 }, { errorCode: 13224, sipCode: 403 }])(
  '%j is of the number',
  async (refusal) => {
    const world = await useTwilioWorld();
    world.twilio.refuse(() => refusal);
    await world.campaign(numbers(6), { call_back_attempts: 0 });
    const rows = await done(world);
    expect(new Set(rows.map((row) => row.last_outcome))).toEqual(new Set(['invalid_number']));
    expect((await world.provider()).closed_until).toBeNull();
  },
);

test('a refusal after the phone rang uses the attempt', async () => {
  const world = await useTwilioWorld();
  world.twilio.refuse(() => ({ sipCode: 403, rings: true }));
  await world.campaign(numbers(1), { call_back_attempts: 0 });
  expect(await done(world)).toEqual([{ attempts: 1, state: 'done', last_outcome: 'failed' }]);
});

test('an unclear code that five people in a row get is of the account', async () => {
  const world = await useTwilioWorld();
  world.log.expect(/its circuit is open/);
  world.twilio.refuse(() => ({ sipCode: 503 }));
  await world.campaign(numbers(12), { max_concurrent_calls: 3, call_back_attempts: 0 });
  await waitFor('open', async () => (await world.provider()).failures_in_a_row >= 5);
  expect((await world.provider()).closed_reason).toMatch(/^sip_503: .*5 people in a row/);
  const used = (await resting(world)).filter(({ attempts }) => attempts > 0);
  expect(used.map(({ last_outcome }) => last_outcome)).toEqual(Array.from({ length: 4 }, () => 'failed'));

  world.twilio.refuse(null);
  const rows = await done(world);
  expect(rows.filter((row) => row.last_outcome === 'completed')).toHaveLength(8);
});

test('one number that the account may not call holds up no other', async () => {
  const world = await useTwilioWorld();
  world.log.expect(/its circuit is open/);
  const [forbidden = ''] = numbers(1);
  world.twilio.refuse((to) => (to === forbidden ? { sipCode: 403 } : null));
  await world.campaign(numbers(8), { max_concurrent_calls: 1, call_back_attempts: 0 });
  const rows = await done(world);
  expect(rows.filter((row) => row.last_outcome === 'completed')).toHaveLength(7);
  expect(rows.filter((row) => row.last_outcome === 'failed')).toHaveLength(1);
});

test('a direct call ends with the code, and its caller may try again', async () => {
  const world = await useTwilioWorld();
  world.log.expect(/its circuit is open/);
  world.twilio.refuse(() => ({ sipCode: 402 }));
  const callId = await world.call('+15557001000');
  expect(await world.until(callId, 'ended')).toMatchObject({ outcome: 'failed' });
  expect((await world.provider()).closed_reason).toMatch(/^sip_402: /);
});
