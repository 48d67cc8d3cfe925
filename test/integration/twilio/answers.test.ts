import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitFor } from '../../support/stack/wait-for.ts';
import { apiKey } from '../../support/twilio/stand-in.ts';
import { openTwilioWorld, relay, useTwilioWorld, type TwilioWorld } from './twilio-world.ts';

describe("Twilio's answer to a request to dial", () => {
  describe('for a number that it does not dial', () => {
    let world: TwilioWorld;
    beforeAll(async () => {
      world = await openTwilioWorld();
    });
    afterAll(() => world.close());

    test.each([
      [400, 21211, 'invalid_number'],
      [400, 21217, 'invalid_number'],
      [400, 21214, 'failed'],
      [400, 21215, 'failed'],
      [400, 21216, 'failed'],
      [400, 21210, 'failed'],
      [400, 29999, 'failed'],
    ])('%i with code %i is final: %s', async (status, code, outcome) => {
      world.twilio.fail({ kind: 'answer', status, code });
      const call = await world.until(await world.call('+15557000100'), 'ended');
      expect(call).toMatchObject({ outcome, external_status: `twilio_${code}`, line_held: false });
      expect(world.twilio.callIds()).toEqual([]);
    });
  });

  test.each([
    [429, 20429],
    [429, undefined],
    [400, 10004],
    [401, 20003],
    [400, 22005],
  ])('%i with code %s burns no attempt, and is waited for', async (status, code) => {
    const world = await useTwilioWorld();
    world.twilio.fail({ kind: 'answer', status, ...(code !== undefined && { code }), retryAfter: '7' });
    await world.campaign(['+15557000100']);
    const until = await waitFor('the provider is closed', async () => (await world.provider()).closed_until);
    expect(await world.db.selectFrom('calls').selectAll().execute()).toEqual([]);
    await world.clock.set(until);
    const call = await waitFor('the call', async () => {
      const rows = await world.db.selectFrom('calls').selectAll().where('phase', '=', 'ended').execute();
      return rows[0];
    });
    expect(call).toMatchObject({ attempt: 1, outcome: 'completed' });
    expect(world.twilio.callIds()).toEqual([call.id]);
  });

  test('without Retry-After closes the provider for the time of its code', async () => {
    const world = await useTwilioWorld();
    world.twilio.fail({ kind: 'answer', status: 401, code: 20003 });
    await world.campaign(['+15557000100']);
    const until = await waitFor('the provider is closed', async () => (await world.provider()).closed_until);
    expect((await world.provider()).closed_reason).toBe('twilio_20003');
    expect(until.getTime() - (await world.clock.now()).getTime()).toBeGreaterThan(50_000);
    expect(await world.db.selectFrom('calls').selectAll().execute()).toEqual([]);
  });
});

describe('requests to Twilio', () => {
  test('names times, callbacks, detection and recording, and hands the call to the voice runtime', async () => {
    const world = await useTwilioWorld({
      telephony: { voice: relay, from_phone: '+15558887777', record: true },
      settings: { ringTimeoutSeconds: 25, maxCallSeconds: 300 },
    });
    const callId = await world.call('+15557000100');
    await world.until(callId, 'ended');
    const form = world.twilio.callOf(callId)?.form;
    const all = (name: string) => form?.getAll(name);
    expect(Object.fromEntries(form ?? [])).toMatchObject({
      To: '+15557000100',
      From: '+15558887777',
      Timeout: '25',
      TimeLimit: '300',
      MachineDetection: 'Enable',
      AsyncAmd: 'true',
      Record: 'true',
      RecordingChannels: 'dual',
    });
    expect(all('StatusCallbackEvent')).toEqual(['initiated', 'ringing', 'answered', 'completed']);
    const twiml = form?.get('Twiml') ?? '';
    expect(twiml).toContain('<Connect><ConversationRelay url="wss://voice.example.com/relay">');
    expect(twiml).toContain(`<Parameter name="call_id" value="${callId}"/>`);
    expect(twiml).toContain('<Parameter name="name" value="Ada"/>');
    expect(await world.row(callId)).toMatchObject({ conversation_id: world.twilio.callOf(callId)?.sid });
  });

  test('are authorized by an API key, while callbacks are signed by the token', async () => {
    const telephony = { voice: relay, record: true };
    const world = await useTwilioWorld({ apiKey, telephony });
    const callId = await world.call('+15557000100');
    expect(await world.until(callId, 'ended')).toMatchObject({ outcome: 'completed' });
    await waitFor('its recording', async () => (await world.recording(callId)).status === 200);
  });

  test('fail with a wrong secret, which uses no attempt', async () => {
    const world = await useTwilioWorld({ apiKey: { ...apiKey, secret: 'of another key' } });
    await world.campaign(['+15557000100']);
    await waitFor('the provider is closed', async () => (await world.provider()).closed_until);
    expect(await world.provider()).toMatchObject({ closed_reason: 'twilio_20003' });
    expect(await world.db.selectFrom('calls').selectAll().execute()).toEqual([]);
  });

  test.each([
    [
      'a plain websocket',
      { voice: { connect: 'stream', url: 'ws://voice.example.com' } },
      /voice\.url: must be a wss/,
    ],
    ['no voice', {}, /telephony\.voice: is missing/],
    ['a caller id of letters', { voice: relay, from_phone: 'me' }, /from_phone: must be a phone number/],
  ])('do not happen if the agent has %s', async (_what, telephony, status) => {
    const world = await useTwilioWorld({ telephony });
    const call = await world.until(await world.call('+15557000100'), 'ended');
    expect(call.outcome).toBe('failed');
    expect(call.external_status).toMatch(status);
    expect(world.twilio.requests).toEqual([]);
  });
});
