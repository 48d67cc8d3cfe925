import { expect, test } from 'vitest';
import { waitFor } from '../../support/stack/wait-for.ts';
import { useTwilioWorld, type TwilioWorld } from './twilio-world.ts';

const numbers = (count: number) => Array.from({ length: count }, (_, n) => `+155570${100 + n}00`);

/** The recipients, once all are done. Pauses of the circuit pass while no call is on its way. */
const done = (world: TwilioWorld) =>
  waitFor('all are done', async () => {
    const rows = await world.resting();
    if (rows.every(({ state }) => state === 'done')) return rows;
    await world.skipPause();
    return null;
  });

// call-outcome.test.ts has the other codes.
test('a refusal of the account at the end of every call uses no attempt', async () => {
  const world = await useTwilioWorld();
  world.log.expect(/its circuit is open/);
  world.twilio.refuse(() => ({ sipCode: 403 }));
  const campaignId = await world.campaign(numbers(12), { max_concurrent_calls: 6 });
  await waitFor('waiting', async () => (await world.waitingFor(campaignId)) === 'provider');
  expect((await world.resting()).map(({ attempts }) => attempts)).toEqual(
    Array.from({ length: 12 }, () => 0),
  );
  expect((await world.provider()).closed_reason).toMatch(/^sip_403: .*account/);
  // Twilio's acceptance of the next probes does not close the circuit, so the pauses grow.
  await waitFor('another probe', async () => {
    await world.resting();
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
  const used = (await world.resting()).filter(({ attempts }) => attempts > 0);
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
