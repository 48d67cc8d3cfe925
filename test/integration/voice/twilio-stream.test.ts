import { setTimeout as delay } from 'node:timers/promises';
import { onTestFinished, expect, test } from 'vitest';
import { joinStream } from '../../support/twilio/media-stream.ts';
import { keysIn } from '../../support/voice/keys-in.ts';
import { voicedMs } from '../../support/voice/loudness.ts';
import { startToneModels } from '../../support/voice/tone-models.ts';
import { voiceLike } from '../../support/voice/voice-like.ts';
import { type ModelRequest, type ScriptedAnswer, scriptedModel } from '../../support/voice/scripted-model.ts';
import { linesOf } from '../../support/voice/transcript-lines.ts';
import { openTwilioVoice } from './twilio-voice-world.ts';

const wordMs = 150;
const long = Array.from({ length: 60 }, (_, index) => `word${index}`).join(' ');

function lines({ messages, response_format: format }: ModelRequest): ScriptedAnswer {
  if (format !== undefined) return { say: '{"summary":"A short call."}' };
  if (messages.at(-1)?.role === 'tool') return { say: '' };
  const words = messages.at(-1)?.content ?? '';
  if (words.includes('how long')) return { say: `${long}.` };
  if (words.includes('cost')) return { say: 'It costs two euros.' };
  if (words.includes('pressed 4 7 1 1')) {
    return { say: 'I press.', tools: [{ name: 'send_dtmf', arguments: { digits: '159#' } }] };
  }
  return { say: 'Goodbye.', tools: [{ name: 'end_call' }] };
}

async function open(phrases: readonly string[], options: { url?: string } = {}) {
  const [model, speech] = await Promise.all([
    scriptedModel(lines),
    startToneModels({ hears: phrases, wordMs }),
  ]);
  onTestFinished(() => model.close());
  return openTwilioVoice({
    endpoints: { llm: model.url, stt: speech.url, tts: speech.url },
    voice: { mode: 'cascade', greeting: 'Hello there.', keys: { timeout_ms: 5_000, finish_on: '#' } },
    skills: ['end_call', 'send_dtmf'].map((type) => ({ type, config: {} })),
    ...options,
  });
}

// In real time: a quarter of a minute, and more on a busy machine.
test('a conversation over a Media Stream: speech, an interruption, keys both ways, and the end by the agent', async () => {
  const { call, record, voice } = await open(['how long may I keep a book', 'what does it cost', 'goodbye']);
  const { callId, noun } = await call();
  expect(noun).toMatchObject({
    name: 'Stream',
    attributes: { url: 'wss://voice.example.com/twilio/stream' },
  });
  const person = await joinStream(noun, { port: voice.port, delayMs: 150 });
  await person.hearsVoice(0);
  await person.hearsSilence(600);
  await person.say(voiceLike(700));
  const answeredAt = await person.hearsVoice(performance.now());
  await person.hearsVoice(answeredAt + 1_500);
  await person.say(voiceLike(1_200));
  const interruptedUntil = performance.now();
  await person.hearsSilence(300, answeredAt);
  expect(person.clears()).toBeGreaterThan(0);
  await person.hearsVoice(interruptedUntil + 300);
  await person.hearsSilence(600, interruptedUntil);
  for (const digit of '471') person.press(digit);
  await delay(700);
  person.press('1');
  person.press('#');
  const pressedAt = performance.now();
  await person.hearsVoice(pressedAt);
  await person.hearsSilence(1_500, pressedAt);
  // Keys of the agent are tones, for a menu at the other end.
  expect(keysIn(person.heard(pressedAt))).toBe('159#');
  await person.say(voiceLike(500));
  await person.left();
  expect(person.faults()).toEqual([]);
  // Little of the long answer is sent ahead: audio that was sent is discarded only on request.
  expect(person.mostAheadMs()).toBeLessThan((60 * wordMs) / 4);

  const read = await record(callId);
  const transcript = linesOf(read);
  expect(transcript).toEqual([
    'Agent: Hello there.',
    'Person: how long may I keep a book',
    expect.stringMatching(/^Agent: word0 .* — \(interrupted\)$/),
    'Person: what does it cost',
    'Agent: It costs two euros.',
    'Agent: I press.',
    'Person: goodbye',
    'Agent: Goodbye.',
  ]);
  // The words of the answer whose sound the person heard; after it, they heard seven words of the other answers, and tones as long as three.
  const heard = (transcript[2]?.match(/word/g) ?? []).length;
  const inSound = voicedMs(person.heard(answeredAt)) / wordMs - 10;
  expect(heard).toBeLessThanOrEqual(inSound + 3);
  expect(heard).toBeGreaterThanOrEqual(inSound / 2);
  expect(read.events?.find(({ type }) => type === 'conversation_ended')).toMatchObject({
    reason: 'agent_done',
  });
});

test('a person who asks for no more calls and hangs up at once, or within a second, is never called again', async () => {
  const pausesMs = [0, 300, 700];
  // More than there are people: where a busy machine has a pause in the sound, the recognizer is asked twice.
  const { call, record, voice, stack, organization } = await open(
    Array.from({ length: 3 * pausesMs.length }, () => 'do not call me again'),
  );
  const numbers = pausesMs.map((_, n) => `+1212555010${n}`);
  await Promise.all(
    pausesMs.map(async (afterMs, n) => {
      const { callId, noun } = await call(numbers[n]);
      const person = await joinStream(noun, { port: voice.port, delayMs: 0 });
      await person.hearsVoice(0);
      await person.hearsSilence(600);
      await person.say(voiceLike(1_200));
      await delay(afterMs);
      person.hangUp();
      const read = await record(callId);
      // After the longest pause, the agent has begun to answer.
      expect(linesOf(read).slice(0, 2)).toEqual(['Agent: Hello there.', 'Person: do not call me again']);
      expect(read.events?.filter(({ type }) => type === 'opted_out')).toHaveLength(1);
    }),
  );
  const suppressed = await stack.db
    .selectFrom('suppressions')
    .select(['phone_number', 'source'])
    .where('organization_id', '=', organization.id)
    .orderBy('phone_number')
    .execute();
  expect(suppressed).toEqual(numbers.map((number) => ({ phone_number: number, source: 'call' })));
});

test('a call is not placed over Twilio if Twilio cannot reach the address of the voice process', async () => {
  const { organization, agentId, twilio, stack } = await open([], { url: 'ws://voice.example.com' });
  await organization.clients.member.makeCall(agentId, { to_phone: '+12125550100' });
  await stack.clock.advance(3_000);
  expect(twilio.calls.size).toBe(0);
});
