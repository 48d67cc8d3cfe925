import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitFor } from '../../support/stack/wait-for.ts';
import { apiKey } from '../../support/twilio/stand-in.ts';
import { openTwilioWorld, relay, useTwilioWorld, type TwilioWorld } from './twilio-world.ts';

/** For its provider, with no call on its way. */
const isWaiting = (runtime: { waiting_for: string | null; lines_in_use: number }) =>
  runtime.waiting_for === 'provider' && runtime.lines_in_use === 0;

describe("Twilio's answer to a request to dial", () => {
  describe('for a number that it does not dial', () => {
    let world: TwilioWorld;
    beforeAll(async () => {
      world = await openTwilioWorld();
    });
    afterAll(() => world.close());

    test.each([
      [400, 21211, 'invalid_number'],
      [400, 21214, 'failed'],
      [400, 29999, 'failed'],
    ])('%i with code %i is final: %s', async (status, code, outcome) => {
      world.twilio.fail({ kind: 'answer', status, code });
      const call = await world.until(await world.call('+15557000100'), 'ended');
      expect(call).toMatchObject({ outcome, external_status: `twilio_${code}`, line_held: false });
      expect(world.twilio.callIds()).toEqual([]);
    });
  });

  test('that it has no capacity burns no attempt, and is waited for', async () => {
    const world = await useTwilioWorld();
    world.twilio.fail({ kind: 'answer', status: 429, code: 20429, retryAfter: '7' });
    await world.campaign(['+15557000100']);
    await waitFor('the provider is closed', async () => (await world.provider()).closed_until);
    await waitFor('the attempt is undone', async () => {
      return (await world.db.selectFrom('calls').selectAll().execute()).length === 0;
    });
    await world.skipPause();
    const call = await waitFor('the call', async () => {
      const rows = await world.db.selectFrom('calls').selectAll().where('phase', '=', 'ended').execute();
      return rows[0];
    });
    expect(call).toMatchObject({ attempt: 1, outcome: 'completed' });
    expect(world.twilio.callIds()).toEqual([call.id]);
  });

  test.each([
    [401, 20003],
    [402, undefined],
    // The caller id of the account.
    [400, 21210],
  ])('%i with code %s uses no attempt, and names itself until a call is accepted', async (status, code) => {
    const world = await useTwilioWorld();
    world.log.expect(/its circuit is open/);
    const reason = `twilio_${code ?? `http_${status}`}`;
    const fault = { kind: 'answer', status, ...(code !== undefined && { code }) } as const;
    world.twilio.failAll(fault);
    const campaignId = await world.campaign(['+15557000100', '+15557000101', '+15557000102']);
    await waitFor('waiting', async () => (await world.waitingFor(campaignId)) === 'provider');
    await waitFor('open', async () => (await world.provider()).failures_in_a_row >= 5);
    expect((await world.provider()).closed_reason?.split(': ')[0]).toBe(reason);
    world.twilio.failAll(null);
    const calls = await waitFor('the calls', async () => {
      await world.skipPause();
      const rows = await world.db.selectFrom('calls').selectAll().where('phase', '=', 'ended').execute();
      return rows.length === 3 ? rows : null;
    });
    expect(calls.map((call) => [call.attempt, call.outcome])).toEqual(
      Array.from({ length: 3 }, () => [1, 'completed']),
    );
    await waitFor('no reason any more', async () => (await world.provider()).closed_reason === null);
  });

  test.each([
    [21205, /^twilio_21205: correct telephony\.voice\.url/],
    [21210, /^twilio_21210: verify the caller id/],
  ])(
    "%i for what an agent says stops its campaign, and not the account's other calls",
    async (code, reason) => {
      const world = await useTwilioWorld({ telephony: { voice: relay, from_phone: '+15558887777' } });
      const fault = { kind: 'answer', status: 400, code } as const;
      world.twilio.fail(...Array.from({ length: 5 }, () => fault));
      const numbers = Array.from({ length: 5 }, (_, n) => `+1555700010${n}`);
      const campaignId = await world.campaign(numbers, { max_concurrent_calls: 5 });
      const blocked = await waitFor('the campaign waits', async () => {
        const rows = await world.db.selectFrom('campaign_runtime').selectAll().execute();
        const runtime = rows.find((row) => row.campaign_id === campaignId);
        return runtime?.last_error != null && isWaiting(runtime) ? runtime : null;
      });
      expect(blocked.last_error).toMatch(reason);
      expect(await world.provider()).toMatchObject({ failures_in_a_row: 0, closed_until: null });
      expect(await world.db.selectFrom('calls').selectAll().execute()).toEqual([]);
      const asked = world.twilio.requests.length;

      // It tries one call, which is refused, and stays as it is.
      world.twilio.fail(fault);
      await world.clock.advance(31_000);
      await waitFor('one try', () => world.twilio.requests.length > asked);
      // The call has a line until the refusal is recorded.
      await waitFor('the refusal', async () => {
        const rows = await world.db.selectFrom('campaign_runtime').selectAll().execute();
        return rows.some((row) => row.campaign_id === campaignId && isWaiting(row));
      });
      expect(world.twilio.requests).toHaveLength(asked + 1);

      // The next try is accepted, and all others follow without a further pause.
      await world.clock.advance(31_000);
      await waitFor('all called', async () => {
        const calls = await world.db.selectFrom('calls').select('outcome').execute();
        return calls.filter((call) => call.outcome === 'completed').length === 5;
      });
      const attempts = await world.db.selectFrom('campaign_recipients').select('attempts').execute();
      expect(attempts.map((row) => row.attempts)).toEqual([1, 1, 1, 1, 1]);
    },
  );

  test('that is the page of a proxy is looked up, and opens the circuit', async () => {
    const world = await useTwilioWorld();
    world.log.expect(/its circuit is open/);
    world.twilio.failAll({ kind: 'page', status: 200 });
    const campaignId = await world.campaign(['+15557000100']);
    await waitFor('open', async () => (await world.provider()).failures_in_a_row >= 5);
    expect((await world.provider()).closed_reason).toMatch(/^http_200: .*not from Twilio/);
    expect(await world.waitingFor(campaignId)).not.toBeNull();
    const [call] = await world.db.selectFrom('calls').selectAll().execute();
    expect(call).toMatchObject({ phase: 'placing', accepted_at: null });
  });

  test('that is the page of a proxy with 404 uses no attempt', async () => {
    const world = await useTwilioWorld();
    world.log.expect(/its circuit is open/);
    world.twilio.fail({ kind: 'page', status: 404 });
    await world.campaign(['+15557000100']);
    const call = await waitFor('the call', async () => {
      await world.skipPause();
      const rows = await world.db.selectFrom('calls').selectAll().where('phase', '=', 'ended').execute();
      return rows[0];
    });
    expect(call).toMatchObject({ attempt: 1, outcome: 'completed' });
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
    world.log.expect(/its circuit is open/);
    await world.campaign(['+15557000100']);
    await waitFor('the provider is closed', async () => (await world.provider()).closed_until);
    expect((await world.provider()).closed_reason).toMatch(/^twilio_20003: .*TWILIO_AUTH_TOKEN/);
    await waitFor('no probe is on its way', async () => {
      return (await world.db.selectFrom('calls').selectAll().execute()).length === 0;
    });
  });

  test('do not happen for an agent whose voice is not valid', async () => {
    const voice = { connect: 'stream', url: 'ws://voice.example.com' };
    const world = await useTwilioWorld({ telephony: { voice } });
    const call = await world.until(await world.call('+15557000100'), 'ended');
    expect(call.outcome).toBe('failed');
    expect(call.external_status).toMatch(/voice\.url: must be a wss/);
    expect(world.twilio.requests).toEqual([]);
  });

  test('do not happen for a campaign whose agent has no voice, which waits and uses no attempt', async () => {
    const world = await useTwilioWorld({ telephony: {} });
    const campaignId = await world.campaign(['+15557000100', '+15557000101']);
    await waitFor('it waits', async () => (await world.waitingFor(campaignId)) === 'provider');
    await waitFor('no call', async () => {
      return (await world.db.selectFrom('calls').selectAll().execute()).length === 0;
    });
    const attempts = await world.db.selectFrom('campaign_recipients').select('attempts').execute();
    expect(attempts.map((row) => row.attempts)).toEqual([0, 0]);
    const lastError = await waitFor('the reason', async () => {
      const runtime = await world.db.selectFrom('campaign_runtime').selectAll().execute();
      return runtime.find((row) => row.campaign_id === campaignId)?.last_error;
    });
    expect(lastError).toBe('agent config: telephony.voice: is missing');
    expect(world.twilio.requests).toEqual([]);
  });
});
