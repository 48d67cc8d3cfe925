import { describe, expect, test } from 'vitest';
import { waitFor } from '../../support/stack/wait-for.ts';
import { useTwilioWorld, type TwilioWorld } from './twilio-world.ts';

const number = '+15557000100';

/** Moves the clock past the instant from which a call with an unknown state is looked up. */
const lookUp = (world: TwilioWorld) => world.clock.advance(13_000);

const dials = (world: TwilioWorld) =>
  world.twilio.requests.filter((request) => request.startsWith('POST') && request.endsWith('/Calls.json'));

async function asked(world: TwilioWorld): Promise<string> {
  const callId = await world.call(number);
  await waitFor('the request to dial', () => dials(world).length === 1);
  return callId;
}

describe('a request to dial whose answer is lost', () => {
  test('is known by the first callback, which names the call', async () => {
    const world = await useTwilioWorld({ talkMs: 200 });
    world.twilio.fail({ kind: 'drop_after' });
    const callId = await asked(world);
    const call = await world.until(callId, 'ended');
    expect(call).toMatchObject({
      outcome: 'completed',
      conversation_id: world.twilio.callOf(callId)?.sid,
    });
    expect(call.accepted_at).not.toBeNull();
    expect(dials(world)).toHaveLength(1);
  });

  test('is found by its number and time if callbacks are also lost', async () => {
    const world = await useTwilioWorld({ callbacks: 'lost' });
    world.twilio.fail({ kind: 'drop_after' });
    const callId = await asked(world);
    await waitFor('over at Twilio', () => world.twilio.live() === 0 && world.twilio.calls.size === 1);
    await lookUp(world);
    expect(await world.until(callId, 'ended')).toMatchObject({
      outcome: 'completed',
      conversation_id: world.twilio.callOf(callId)?.sid,
    });
    expect(dials(world)).toHaveLength(1);
  });

  test('is unknown if Twilio has no such call, and is not dialed again', async () => {
    const world = await useTwilioWorld();
    world.twilio.fail({ kind: 'drop_before' });
    const callId = await asked(world);
    await lookUp(world);
    expect(await world.until(callId, 'ended')).toMatchObject({
      outcome: 'unknown',
      external_status: 'never_confirmed',
    });
    expect(dials(world)).toHaveLength(1);
    expect(world.twilio.callIds()).toEqual([]);
  });

  test('is unknown if two calls match', async () => {
    const world = await useTwilioWorld({ callbacks: 'lost' });
    const made = new URLSearchParams({ To: number, From: '+15550009999', Twiml: '<Response/>' });
    for (let n = 0; n < 2; n++) world.twilio.create(made);
    world.twilio.fail({ kind: 'drop_before' });
    const callId = await asked(world);
    await lookUp(world);
    expect(await world.until(callId, 'ended')).toMatchObject({ outcome: 'unknown', conversation_id: null });
  });

  test('is not taken for an earlier attempt at the same number', async () => {
    const world = await useTwilioWorld({ callbacks: 'in_order' });
    // The first request is answered. The second may follow at once.
    world.twilio.fail({ kind: 'answer_late', at: Promise.resolve() }, { kind: 'drop_before' });
    const campaignId = await world.campaign(['+15557000197'], {
      call_back_attempts: 1,
      retry_delay_seconds: 0,
    });
    await waitFor('the second request to dial', () => dials(world).length === 2);
    await lookUp(world);
    const calls = await waitFor('both ended', async () => {
      const rows = await world.db
        .selectFrom('calls')
        .select(['attempt', 'outcome', 'phase', 'conversation_id'])
        .where('campaign_id', '=', campaignId)
        .orderBy('attempt')
        .execute();
      return rows.length === 2 && rows.every((row) => row.phase === 'ended') ? rows : null;
    });
    expect(calls.map((call) => call.outcome)).toEqual(['busy', 'unknown']);
    expect(calls[1]?.conversation_id).toBeNull();
  });

  test('is corrected by a late callback, once', async () => {
    const world = await useTwilioWorld({ callbacks: 'lost', talkMs: 60_000 });
    world.twilio.fail({ kind: 'drop_after' });
    const callId = await asked(world);
    const made = world.twilio.callOf(callId);
    // Twilio does not list the call yet.
    world.twilio.calls.get(made?.sid ?? '')?.form.set('To', '+15550000000');
    await lookUp(world);
    await world.until(callId, 'ended');
    const url = made?.form.get('StatusCallback') ?? '';
    const fields = { CallSid: made?.sid ?? '', CallStatus: 'completed', CallDuration: '9' };
    await world.twilio.send({ url, fields });
    await world.twilio.send({ url, fields: { ...fields, CallStatus: 'busy' } });
    expect(await world.row(callId)).toMatchObject({ outcome: 'completed', duration_seconds: 9 });
  });
});

describe('an unreachable Twilio', () => {
  test('burns no attempt: nothing was sent', async () => {
    const world = await useTwilioWorld();
    // If Twilio is away for long enough.
    world.log.expect(/its circuit is open/);
    await world.twilio.goAway();
    const campaignId = await world.campaign([number]);
    const recipient = () =>
      world.db
        .selectFrom('campaign_recipients')
        .select(['state', 'attempts', 'next_attempt_at'])
        .where('campaign_id', '=', campaignId)
        .executeTakeFirstOrThrow();
    const first = await recipient();
    await waitFor('put off', async () => {
      const { state, next_attempt_at: at } = await recipient();
      return state === 'pending' && at !== null && at > (first.next_attempt_at ?? at);
    });
    expect(await recipient()).toMatchObject({ attempts: 0 });
    await waitFor('a counted failure', async () => (await world.provider()).failures_in_a_row > 0);
    await world.twilio.comeBack();
    const call = await waitFor('ended', async () => {
      await world.skipPause();
      const [only] = await world.db.selectFrom('calls').selectAll().where('phase', '=', 'ended').execute();
      return only;
    });
    expect(call).toMatchObject({ outcome: 'completed', attempt: 1 });
  });

  test('is asked repeatedly about a call until it answers', async () => {
    const world = await useTwilioWorld({ callbacks: 'lost' });
    const callId = await world.call(number);
    await waitFor('accepted', async () => (await world.row(callId)).accepted_at);
    await waitFor('over at Twilio', () => world.twilio.live() === 0);
    world.twilio.failLookUps(500);
    await world.clock.advance(60_000);
    await waitFor('asked in vain', () =>
      world.twilio.requests.some((request) => request.startsWith('GET') && request.includes('/Calls/CA')),
    );
    world.twilio.failLookUps(null);
    await world.clock.advance(6_000);
    expect(await world.until(callId, 'ended')).toMatchObject({ outcome: 'completed' });
  });
});
