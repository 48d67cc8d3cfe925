import { describe, expect, test } from 'vitest';
import { waitFor } from '../../support/stack/wait-for.ts';
import { apiKey } from '../../support/twilio/stand-in.ts';
import { relay, useTwilioWorld } from './twilio-world.ts';

/** For its provider, with no call on its way. */
const isWaiting = (runtime: { waiting_for: string | null; lines_in_use: number }) =>
  runtime.waiting_for === 'provider' && runtime.lines_in_use === 0;

describe("Twilio's answer to a request to dial", () => {
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
});
