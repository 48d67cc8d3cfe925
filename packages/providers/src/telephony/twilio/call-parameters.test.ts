import type { PlaceCallRequest } from '@outdial/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { callRequest } from '../call.fixture.ts';
import { callParameters } from './call-parameters.ts';

const settings = {
  authToken: 'a-token',
  fromPhone: '+15550001111',
  eventsUrl: 'https://calls.example.com/provider-events/twilio',
  defaults: {},
};

const stream = { connect: 'stream', url: 'wss://voice.example.com/media' };
const relay = { connect: 'conversation_relay', url: 'wss://voice.example.com/relay' };

const requestWith = (telephony: unknown, change: Partial<PlaceCallRequest> = {}) =>
  callRequest({
    callId: '01a1fce7-b436-7c20-85c5-965289368ec1',
    agentId: 'a',
    attempt: 2,
    toPhone: '+15550002222',
    agent: { name: 'Caller', config: { telephony }, skills: [] },
    ringTimeoutSeconds: 45,
    maxCallSeconds: 1_800,
    ...change,
  });

function optionsOf(request: PlaceCallRequest, of: Partial<Parameters<typeof callParameters>[0]> = {}) {
  const parameters = callParameters({ ...settings, ...of }, request);
  if (parameters.kind !== 'create') throw new Error(parameters.kind);
  return parameters.options;
}

function refusalOf(request: PlaceCallRequest, of: Partial<Parameters<typeof callParameters>[0]> = {}) {
  const parameters = callParameters({ ...settings, ...of }, request);
  return parameters.kind === 'refused' ? parameters.externalStatus : null;
}

function agentFaultOf(request: PlaceCallRequest, of: Partial<Parameters<typeof callParameters>[0]> = {}) {
  const parameters = callParameters({ ...settings, ...of }, request);
  return parameters.kind === 'misconfigured' && parameters.of === 'agent' ? parameters.remedy : null;
}

describe('a request to dial', () => {
  test('requests all statuses, machine detection, and the time limits of the installation', () => {
    expect(optionsOf(requestWith({ voice: stream }))).toMatchObject({
      to: '+15550002222',
      from: '+15550001111',
      timeout: 45,
      timeLimit: 1_800,
      statusCallbackEvent: ['initiated', 'ringing', 'answered', 'completed'],
      machineDetection: 'Enable',
      asyncAmd: 'true',
    });
    expect(optionsOf(requestWith({ voice: stream }))).not.toHaveProperty('record');
  });

  test("stays within Twilio's own limits", () => {
    const long = { ringTimeoutSeconds: 900, maxCallSeconds: 86_400 };
    expect(optionsOf(requestWith({ voice: stream }, long))).toMatchObject({
      timeout: 600,
      timeLimit: 14_400,
    });
  });

  test('names the call and the topic in each callback, and requests retries of failed deliveries', () => {
    const options = optionsOf(requestWith({ voice: stream, record: true }));
    const urls = [options.statusCallback, options.asyncAmdStatusCallback, options.recordingStatusCallback];
    const topics = urls.map((url) => {
      const { searchParams, hash, origin } = new URL(url ?? '');
      expect([origin, hash]).toEqual(['https://calls.example.com', '#rc=5&rp=all']);
      expect(searchParams.get('call_id')).toBe('01a1fce7-b436-7c20-85c5-965289368ec1');
      return [searchParams.get('topic'), searchParams.get('hang_up')];
    });
    expect(topics).toEqual([
      ['status', null],
      ['machine', '1'],
      ['recording', null],
    ]);
  });

  test("uses the provider's defaults for fields that the agent does not set", () => {
    const defaults = { voice: relay, record: true, machine_detection: 'off' } as const;
    // These defaults are valid, but the type of `relay` is wider.
    const of = { defaults: defaults as unknown as typeof settings.defaults };
    expect(optionsOf(requestWith(undefined), of)).toMatchObject({ record: true });
    expect(optionsOf(requestWith({ record: false, voice: stream }), of)).not.toHaveProperty('record');
    expect(optionsOf(requestWith({}), of)).not.toHaveProperty('machineDetection');
    const asked = requestWith({ from_phone: '+15550003333' }, { fromPhone: '+15550003333' });
    expect(optionsOf(asked, of).from).toBe('+15550003333');
  });

  test.each([
    [
      { voice: { ...stream, url: 'ws://voice.example.com' } },
      'telephony.voice.url: must be a wss:// address',
    ],
    [
      { voice: { ...stream, url: 'https://voice.example.com' } },
      'telephony.voice.url: must be a wss:// address',
    ],
    [
      { voice: { connect: 'twiml_url', url: 'http://a.example.com' } },
      'telephony.voice.url: must be an https:// address',
    ],
    [
      { voice: { connect: 'twiml', twiml: '<Say>Hi</Say>' } },
      'telephony.voice.twiml: must be one <Response> element',
    ],
    [
      { voice: stream, from_phone: '5550001111' },
      'telephony.from_phone: must be a phone number in E.164 format',
    ],
    [{}, 'telephony.voice: is missing'],
  ])('is not sent if the config is %j, which is the fault of the agent', (telephony, fault) => {
    expect(agentFaultOf(requestWith(telephony))).toBe(fault);
  });

  test('is not sent without a caller id', () => {
    expect(agentFaultOf(requestWith({ voice: stream }), { fromPhone: null })).toMatch(
      /from_phone: is missing/,
    );
  });
});

describe('an answered call', () => {
  test('connects a conversation relay with its attributes and parameters', () => {
    const voice = { ...relay, welcome_greeting: 'Hi <there>', language: 'en-US', dtmf_detection: true };
    const { twiml } = optionsOf(
      requestWith({ voice }, { promptParams: { name: 'Ada & "Bo"', call_id: 'x' } }),
    );
    expect(String(twiml)).toBe(
      '<?xml version="1.0" encoding="UTF-8"?><Response><Connect><ConversationRelay ' +
        'url="wss://voice.example.com/relay" welcomeGreeting="Hi &lt;there>" language="en-US" dtmfDetection="true">' +
        '<Parameter name="call_id" value="01a1fce7-b436-7c20-85c5-965289368ec1"/>' +
        '<Parameter name="agent_id" value="a"/><Parameter name="attempt" value="2"/>' +
        '<Parameter name="name" value="Ada &amp; &quot;Bo&quot;"/></ConversationRelay></Connect></Response>',
    );
  });

  test("fills in the user's own instructions, and leaves placeholders without a value unchanged", () => {
    const twiml =
      '<Response><Say>Hi {{ name }}, {{nobody}}</Say><Redirect>x?c={{call_id}}</Redirect></Response>';
    const voice = { connect: 'twiml', twiml };
    const options = optionsOf(requestWith({ voice }, { promptParams: { name: '<Hangup/>' } }));
    expect(options.twiml).toBe(
      '<Response><Say>Hi &lt;Hangup/&gt;, {{nobody}}</Say>' +
        '<Redirect>x?c=01a1fce7-b436-7c20-85c5-965289368ec1</Redirect></Response>',
    );
  });

  test('fetches instructions from a URL that names the call', () => {
    const voice = { connect: 'twiml_url', url: 'https://voice.example.com/answer?v=1' };
    const options = optionsOf(requestWith({ voice }, { promptParams: { name: 'Ada & Bo' } }));
    expect(options).not.toHaveProperty('twiml');
    expect(Object.fromEntries(new URL(options.url ?? '').searchParams)).toEqual({
      v: '1',
      call_id: '01a1fce7-b436-7c20-85c5-965289368ec1',
      agent_id: 'a',
      attempt: '2',
      name: 'Ada & Bo',
    });
  });

  test('passes the voice runtime the search of knowledge bases, if it fits', () => {
    const access = { ids: ['k1', 'k2'], searchUrl: 'https://calls.example.com/{id}/search', token: 'short' };
    const fits = optionsOf(requestWith({ voice: stream }, { knowledgeBase: access }));
    expect(String(fits.twiml)).toContain('<Parameter name="knowledge_token" value="short"/>');
    const long = { ...access, token: 't'.repeat(600) };
    const toStream = optionsOf(requestWith({ voice: stream }, { knowledgeBase: long }));
    expect(String(toStream.twiml)).not.toContain('knowledge_');
    const toRelay = optionsOf(requestWith({ voice: relay }, { knowledgeBase: long }));
    expect(String(toRelay.twiml)).toContain('ttt');
  });

  test('is refused at once if its instructions are much too long', () => {
    const twiml = `<Response><Say>{{${' '.repeat(50_000)}</Say></Response>`;
    expect(refusalOf(requestWith({ voice: { connect: 'twiml', twiml } }))).toBe('twiml_too_long_for_twilio');
  });

  test('is refused if Twilio would not accept the instructions', () => {
    const promptParams = { story: 's'.repeat(600) };
    expect(refusalOf(requestWith({ voice: stream }, { promptParams }))).toBe(
      'prompt_parameter_too_long_for_twilio_stream',
    );
    expect(refusalOf(requestWith({ voice: relay }, { promptParams }))).toBeNull();
    const many = { story: 's'.repeat(5_000) };
    expect(refusalOf(requestWith({ voice: relay }, { promptParams: many }))).toBe(
      'twiml_too_long_for_twilio',
    );
  });

  test('has well-formed instructions, whatever a parameter contains', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 100 }), (value) => {
        const { twiml } = optionsOf(requestWith({ voice: stream }, { promptParams: { value } }));
        const shown = /name="value" value="([^"]*)"\/>/.exec(String(twiml))?.[1];
        expect(shown).toBeDefined();
        expect(shown).not.toContain('<');
        expect(shown).not.toMatch(/&(?!(amp|lt|gt|quot|apos|#x?[0-9A-Fa-f]+);)/);
        // eslint-disable-next-line no-control-regex
        expect(shown).not.toMatch(/[\u0000-\u0008\u000B\u000C\u000E-\u001F]/);
      }),
    );
  });
});

describe('a call that a voice process of this installation carries', () => {
  const url = 'wss://voice.example.com';
  const runtime = { url, token: 'a.b.c', records: false };

  test('is connected by a stream with the token, even if the config names another runtime', () => {
    const own = optionsOf(requestWith({ voice: relay }, { mediaRuntime: runtime }));
    expect(own.twiml).toContain(
      '<Connect><Stream url="wss://voice.example.com/twilio/stream"><Parameter name="token" value="a.b.c"/></Stream></Connect>',
    );
    expect(own.twiml).not.toContain('relay');
    expect(optionsOf(requestWith({}, { mediaRuntime: runtime })).twiml).toBe(own.twiml);
  });

  test('is connected by a relay if Twilio recognizes and synthesizes speech', () => {
    const text = { language: 'de-DE', voice: 'de-DE-Neural2-A' };
    const { twiml } = optionsOf(requestWith({}, { mediaRuntime: { ...runtime, text } }));
    expect(twiml).toContain('<ConversationRelay url="wss://voice.example.com/twilio/relay" language="de-DE"');
    expect(twiml).toContain('voice="de-DE-Neural2-A" dtmfDetection="true"');
    expect(twiml).toContain('<Parameter name="token" value="a.b.c"/>');
  });

  test.each([undefined, { language: 'en-US', voice: null }])(
    'is judged by that process: Twilio detects a machine only if it is told to, and then does not hang up (%j)',
    (text) => {
      const mediaRuntime = { ...runtime, ...(text && { text }) };
      expect(optionsOf(requestWith({}, { mediaRuntime }))).not.toHaveProperty('machineDetection');
      const told = optionsOf(requestWith({ machine_detection: 'detect' }, { mediaRuntime }));
      expect(told.machineDetection).toBe('Enable');
      expect(told.asyncAmdStatusCallback).not.toContain('hang_up');
      const both = { machine_detection: 'detect', on_machine: 'hang_up' };
      expect(optionsOf(requestWith(both, { mediaRuntime })).asyncAmdStatusCallback).toContain('hang_up=1');
      const hangsUp = optionsOf(requestWith({ on_machine: 'hang_up' }, { mediaRuntime }));
      expect(hangsUp.asyncAmdStatusCallback).toContain('hang_up=1');
      const config = { telephony: {}, voice: { machine_detection: false } };
      const agent = { name: 'Caller', config, skills: [] };
      expect(optionsOf(requestWith({}, { mediaRuntime, agent })).machineDetection).toBe('Enable');
    },
  );

  test('is recorded if the agent wants it and the law allows it', () => {
    const records = (change: Partial<PlaceCallRequest>, telephony = {}) =>
      optionsOf(requestWith(telephony, { mediaRuntime: { ...runtime, records: true }, ...change })).record ===
      true;
    expect([
      records({}),
      records({ recording: 'announced' }),
      records({ recording: 'off' }),
      records({}, { record: false }),
    ]).toEqual([true, true, false, false]);
    // Nobody was told of what the provider's row has by default.
    const byDefault = (recording: 'on' | 'announced', telephony = {}) =>
      optionsOf(requestWith({ voice: stream, ...telephony }, { recording }), { defaults: { record: true } })
        .record;
    expect([byDefault('on'), byDefault('announced'), byDefault('announced', { record: true })]).toEqual([
      true,
      undefined,
      true,
    ]);
  });
});
