import { expect, test } from 'vitest';
import { hostOfUrl, judgeCarrierInstructions, type CarrierInstructionRules } from './carrier-instructions.ts';

const nothing: CarrierInstructionRules = {
  allowsOwnTwiml: false,
  hosts: [],
  ownUrls: [],
  isOthersFromPhone: false,
};
const listed: CarrierInstructionRules = { ...nothing, hosts: ['voice.example.com', 'a.example.com:8443'] };
const everything: CarrierInstructionRules = { ...listed, allowsOwnTwiml: true };

const judge = (voice: unknown, rules: CarrierInstructionRules) =>
  judgeCarrierInstructions({ telephony: { voice } }, rules)?.path.join('.') ?? null;

const twiml = { connect: 'twiml', twiml: '<Response><Dial>+19005550199</Dial></Response>' };
const stream = (url: string) => ({ connect: 'stream', url });
const fetched = (url: string) => ({ connect: 'twiml_url', url });

test('nothing is allowed that the operator has not allowed', () => {
  expect(judge(twiml, nothing)).toBe('telephony.voice.connect');
  expect(judge(fetched('https://voice.example.com/x'), nothing)).toBe('telephony.voice.connect');
  expect(judge(stream('wss://voice.example.com/x'), nothing)).toBe('telephony.voice.url');
  expect(judge({ connect: 'conversation_relay', url: 'wss://voice.example.com' }, nothing)).toBe(
    'telephony.voice.url',
  );
});

test('a listed host may be reached, but gives no instructions of its own unless those are allowed', () => {
  expect(judge(stream('wss://voice.example.com/x'), listed)).toBeNull();
  expect(judge(stream('wss://VOICE.example.com:443/x'), listed)).toBeNull();
  expect(judge(stream('wss://a.example.com:8443/x'), listed)).toBeNull();
  expect(judge(fetched('https://voice.example.com/x'), listed)).toBe('telephony.voice.connect');
  expect(judge(twiml, everything)).toBeNull();
  expect(judge(fetched('https://voice.example.com/x'), everything)).toBeNull();
  expect(judge(fetched('https://other.example.com/x'), everything)).toBe('telephony.voice.url');
});

test.each([
  'wss://voice.example.com.evil.example/x',
  'wss://evil.example/voice.example.com',
  'wss://evil.example#voice.example.com',
  'wss://evil.example\\@voice.example.com',
  'wss://voice.example.com:8443/x',
  'wss://a.example.com/x',
  'wss://voice.example.com@evil.example/x',
  'wss://user@voice.example.com/x',
  'wss://:secret@voice.example.com/x',
  'wss://voice.example.com./x',
])('%s is no listed host', (url) => {
  expect(judge(stream(url), everything)).toBe('telephony.voice.url');
});

test("the installation's own voice processes are allowed", () => {
  const own = { ...nothing, ownUrls: ['wss://calls.example.com/voice', 'not an address'] };
  expect(judge(stream('wss://calls.example.com/twilio/stream'), own)).toBeNull();
  expect(judge(stream('wss://other.example.com/twilio/stream'), own)).toBe('telephony.voice.url');
});

test('agents without instructions are allowed', () => {
  expect(judgeCarrierInstructions({}, nothing)).toBeNull();
  expect(judgeCarrierInstructions({ telephony: { provider: 'twilio' } }, nothing)).toBeNull();
  expect(judgeCarrierInstructions({ voice: 'calm', telephony: null }, nothing)).toBeNull();
  expect(judge({ connect: 'stream', url: 'no address' }, nothing)).toBeNull();
});

test('a host is read as in an address', () => {
  expect(hostOfUrl('Voice.Example.com')).toBe('voice.example.com');
  expect(hostOfUrl('voice.example.com:8443')).toBe('voice.example.com:8443');
  expect(hostOfUrl('voice.example.com:443')).toBe('voice.example.com');
  const wrong = ['', 'a b', 'wss://a.example.com', 'a.example.com/x', 'user@a.example.com', 'a?b'];
  expect(wrong.map(hostOfUrl)).toEqual(wrong.map(() => null));
});
