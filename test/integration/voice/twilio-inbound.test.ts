import type { KyselyPlugin } from 'kysely';
import twilio from 'twilio';
import { expect, onTestFinished, test } from 'vitest';
import { readConnect } from '../../support/twilio/connect-noun.ts';
import { joinRelay } from '../../support/twilio/conversation-relay.ts';
import { joinStream } from '../../support/twilio/media-stream.ts';
import { accountSid, authToken } from '../../support/twilio/stand-in.ts';
import { waitFor } from '../../support/stack/wait-for.ts';
import { startRealtimeServer } from '../../support/voice/realtime-server.ts';
import { scriptedModel } from '../../support/voice/scripted-model.ts';
import { linesOf } from '../../support/voice/transcript-lines.ts';
import { openTwilioVoice } from './twilio-voice-world.ts';
import { addConfirmedCallerId } from '../../support/confirmed-caller-id.ts';

const number = '+15550009999';
const person = '+12125550100';

/** An agent that says goodbye, and a number of the account that it answers. */
async function open(options: Pick<Parameters<typeof openTwilioVoice>[0], 'process'> = {}) {
  const model = await scriptedModel(({ response_format: format }) =>
    format === undefined
      ? { say: 'Goodbye.', tools: [{ name: 'end_call' }] }
      : { say: '{"summary":"A short call."}' },
  );
  onTestFinished(() => model.close());
  return openWith({ endpoints: { llm: model.url }, voice: relayed, ...options });
}

const relayed = { mode: 'relay', greeting: 'Hello.', language: 'en-US' };

async function openWith(options: Parameters<typeof openTwilioVoice>[0]) {
  const world = await openTwilioVoice(options);
  await addConfirmedCallerId(world.stack.db, world.organization.id, {
    phone_number: number,
    agent_id: world.agentId,
  });
  return world;
}

/** The same, with a realtime model. */
async function openTalking() {
  const model = await startRealtimeServer({
    phrases: ['goodbye'],
    answer: () => ({ say: 'Goodbye.', tool: { name: 'end_call' } }),
  });
  return openWith({
    endpoints: { llm: model.url },
    voice: { mode: 'realtime', greeting: 'Hello there.', tts: { voice: 'marin' } },
  });
}

type World = Awaited<ReturnType<typeof open>>;

/** The fields that Twilio sends for an inbound call: https://www.twilio.com/docs/voice/twiml#request-parameters, read on 22 November 2026. */
const fields = (change: Record<string, string> = {}) => ({
  CallSid: `CA${'a'.repeat(32)}`,
  AccountSid: accountSid,
  From: person,
  To: number,
  CallStatus: 'ringing',
  ApiVersion: '2010-04-01',
  Direction: 'inbound',
  ForwardedFrom: '',
  CallerName: '',
  ...change,
});

async function ask(world: World, form: Record<string, string>, options: { token?: string | null } = {}) {
  const url = `${world.stack.baseUrl}/provider-events/twilio/inbound`;
  const { token = authToken } = options;
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded; charset=UTF-8',
      ...(token !== null && { 'x-twilio-signature': twilio.getExpectedTwilioSignature(token, url, form) }),
    },
    body: new URLSearchParams(form).toString(),
  });
  return {
    status: response.status,
    type: response.headers.get('content-type') ?? '',
    text: await response.text(),
  };
}

const callsOf = (world: World) =>
  world.stack.db.selectFrom('calls').select('id').where('kind', '=', 'phone_inbound').execute();

test('a call to a number of the account is connected with the agent, and its record ends with the conversation', async () => {
  const world = await open();
  const answer = await ask(world, fields());
  expect(answer.status).toBe(200);
  expect(answer.type).toContain('text/xml');
  const noun = readConnect(answer.text);
  expect(noun.attributes['url']).toBe('wss://voice.example.com/twilio/relay');
  const [call, ...others] = await callsOf(world);
  expect(others).toEqual([]);
  const callId = call?.id ?? '';
  const caller = await joinRelay(noun, { port: world.voice.port });
  expect(await caller.hears(0)).toMatchObject({ text: 'Hello.' });
  caller.says('goodbye');
  const record = await world.record(callId);
  expect(linesOf(record)).toEqual(['Agent: Hello.', 'Person: goodbye', 'Agent: Goodbye.']);
  expect(record).toMatchObject({
    provider: 'phone_inbound',
    phone_number: person,
    status: 'finish',
    conversation_id: `CA${'a'.repeat(32)}`,
    external_last_status: 'agent_ended',
  });
  expect(await ask(world, fields({ CallStatus: 'completed', CallDuration: '7' }))).toMatchObject({
    status: 200,
  });
});

test('a caller who hangs up in the first second leaves a call that is over, and a free line', async () => {
  const world = await openTalking();
  const { text } = await ask(world, fields());
  const [call] = await callsOf(world);
  const caller = await joinStream(readConnect(text), { port: world.voice.port });
  caller.hangUp();
  const record = await world.ended(call?.id ?? '');
  expect(['person_left', 'not_carried']).toContain(record.external_last_status);
  await waitFor('the voice process to be free', () => world.voice.calls() === 0);
  const { line_held: isHeld } = await world.stack.db
    .selectFrom('calls')
    .select('line_held')
    .where('id', '=', call?.id ?? '')
    .executeTakeFirstOrThrow();
  expect(isHeld).toBe(false);
});

test('a call whose conversation cannot be opened ends, even without a report from Twilio', async () => {
  const world = await open({ process: { opening: 'breaks' } });
  world.stack.log.expect(/a voice call failed/);
  const { text } = await ask(world, fields());
  const [call] = await callsOf(world);
  await joinRelay(readConnect(text), { port: world.voice.port });
  const record = await world.ended(call?.id ?? '');
  expect(record).toMatchObject({ external_last_status: 'not_carried', meta: { outcome: 'failed' } });
});

/** Fails to read the clock, as during a failover. */
const withoutClock: KyselyPlugin = {
  transformQuery({ node }) {
    if (node.kind === 'RawNode' && node.sqlFragments.join('').startsWith('select engine_now()')) {
      throw new Error('the database fails over');
    }
    return node;
  },
  transformResult: ({ result }) => Promise.resolve(result),
};

test.each([
  ['whose conversation cannot be opened', { opening: 'breaks' }],
  ['whose agent the process refuses', { opening: 'is refused' }],
  ['whose token cannot be dated', { through: withoutClock }],
] as const)('a call to a person %s fails, though Twilio completes it', async (_what, process) => {
  const world = await open({ process });
  world.stack.log.expect(/a voice call failed/);
  const { callId, noun } = await world.call();
  await joinRelay(noun, { port: world.voice.port });
  const { viewer } = world.organization.clients;
  await waitFor('the failure to be recorded', async () => {
    const { events } = await viewer.readCall(callId);
    return events?.find(({ type }) => type === 'counts_as');
  });
  const atTwilio = world.twilio.callOf(callId);
  if (atTwilio !== undefined) world.twilio.end(atTwilio);
  const record = await world.ended(callId);
  expect(record).toMatchObject({ external_last_status: 'completed', meta: { outcome: 'failed' } });
});

test.each([
  ['no-answer', 'no_answer'],
  ['canceled', 'canceled'],
])(
  'a repeated call of Twilio is one call, and its status %s ends one that was never connected',
  async (status, outcome) => {
    const world = await open();
    await ask(world, fields());
    await ask(world, fields());
    const [call, ...others] = await callsOf(world);
    expect(others).toEqual([]);
    await ask(world, fields({ CallStatus: status }));
    const record = await world.ended(call?.id ?? '');
    expect(record).toMatchObject({ status: 'other', meta: { outcome } });
    const late = await ask(world, fields());
    expect(late.text).toContain('<Reject reason="busy"/>');
    expect(await callsOf(world)).toHaveLength(1);
  },
);

test('requests that are unsigned, not inbound or of an unknown status begin no call; an unknown number is rejected', async () => {
  const world = await open();
  expect(await ask(world, fields(), { token: null })).toMatchObject({ status: 401 });
  expect(await ask(world, fields(), { token: 'another token' })).toMatchObject({ status: 401 });
  for (const change of [{ Direction: 'outbound-api' }, { CallStatus: 'paused' }]) {
    expect((await ask(world, fields(change))).text).not.toContain('Connect');
  }
  const ofAnother = fields({ AccountSid: `AC${'b'.repeat(32)}` });
  expect(await ask(world, ofAnother)).toMatchObject({ status: 401 });
  const unknown = await ask(world, fields({ To: '+15550007777' }));
  expect(unknown.text).toContain('<Reject reason="rejected"/>');
  expect(await callsOf(world)).toEqual([]);
});

test('while no voice process is free, the call is rejected as busy', async () => {
  const world = await open();
  await world.voice.close();
  const answer = await ask(world, fields());
  expect(answer.text).toContain('<Reject reason="busy"/>');
  const [call] = await callsOf(world);
  expect(await world.organization.clients.viewer.readCall(call?.id ?? '')).toMatchObject({
    external_last_status: 'no_voice_process',
    meta: { outcome: 'busy' },
  });
});
