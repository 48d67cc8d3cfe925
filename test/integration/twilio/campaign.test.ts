import { expect, onTestFinished, test } from 'vitest';
import { anyBackend } from '../../support/queues.ts';
import { linesInUse, recipientStates } from '../../support/stack/campaign-watch.ts';
import { useStack } from '../../support/stack/use-stack.ts';
import { waitFor } from '../../support/stack/wait-for.ts';
import { accountSid, authToken, startTwilioStandIn } from '../../support/twilio/stand-in.ts';

const outcomes = new Map([
  ['00', 'completed'],
  ['90', 'completed'],
  ['91', 'busy'],
  ['92', 'no_answer'],
  ['93', 'rejected'],
  ['94', 'voicemail'],
  ['95', 'failed'],
  ['96', 'invalid_number'],
]);

/** Four numbers of each outcome. */
const numbers = [...outcomes.keys()].flatMap((ending) => [1, 2, 3, 4].map((n) => `+1555800${n}1${ending}`));
const callsPerSecond = 10;

test('a campaign through the interface: every outcome, recordings, and no more calls a second than the account dials', async () => {
  const twilio = await startTwilioStandIn({ talkMs: 200, callsPerSecond: callsPerSecond + 2 });
  onTestFinished(() => twilio.close());
  const stack = await useStack({
    backend: anyBackend(),
    telephony: (publicUrl) => ({ twilio: { accountSid, authToken, apiUrl: twilio.url }, publicUrl }),
  });
  await stack.setProvider('twilio', {
    adapter: 'twilio',
    callsPerSecond,
    settings: {
      from_phone: '+15550009999',
      voice: { connect: 'stream', url: 'wss://voice.example.com/media' },
      record: true,
    },
  });
  const organization = await stack.organization({ default_provider: 'twilio' });
  const { manager, viewer } = organization.clients;
  const { id } = await manager.createCampaign({
    name: 'Spring',
    agent_id: organization.agentId,
    phone_numbers: numbers,
    status: 'paused',
    additional_params: { prompt_params: { topic: 'spring <& "sales">' } },
  });
  await manager.setConfig(id, { max_concurrent_calls: 50 });
  await manager.setStatus(id, 'running');
  await waitFor('finished', async () => (await viewer.readCampaign(id)).status === 'finished');
  await twilio.settled();

  const rows = await stack.db
    .selectFrom('calls')
    .select(['id', 'phone_number', 'outcome', 'attempt', 'gated_at'])
    .where('campaign_id', '=', id)
    .execute();
  expect(rows).toHaveLength(numbers.length);
  for (const row of rows) {
    expect([row.phone_number, row.attempt, row.outcome]).toEqual([
      row.phone_number,
      1,
      outcomes.get(row.phone_number.slice(-2)),
    ]);
  }
  // Twilio and the records agree.
  const dialed = numbers.filter((number) => !number.endsWith('96'));
  expect(new Set([...twilio.calls.values()].map((call) => call.form.get('To')))).toEqual(new Set(dialed));
  expect(twilio.calls.size).toBe(dialed.length);
  expect(new Set(twilio.callIds())).toEqual(
    new Set(rows.filter((row) => row.outcome !== 'invalid_number').map((row) => row.id)),
  );
  // Measured by the database's clock, so a busy machine has no influence. Never more calls in a second than the account dials.
  const gates = rows.map((row) => row.gated_at?.getTime() ?? 0).toSorted((one, other) => one - other);
  const spans = gates.slice(callsPerSecond).map((at, n) => at - (gates[n] ?? 0));
  expect(spans.length).toBeGreaterThan(0);
  expect(Math.min(...spans)).toBeGreaterThanOrEqual(1_000);
  for (const call of twilio.calls.values()) {
    expect(call.form.get('Twiml')).toContain('value="spring &lt;&amp; &quot;sales&quot;>"');
  }

  const completed = rows.find((row) => row.phone_number.endsWith('00'));
  const call = await viewer.readCall(completed?.id ?? '');
  const recording = await viewer.readRecording(call.recording_url ?? '');
  expect(recording.bytes.toString('latin1', 0, 4)).toBe('RIFF');
  expect(await recipientStates(stack.db, id)).toEqual({ done: numbers.length });
  expect(await linesInUse(stack.db)).toBe(0);
});
