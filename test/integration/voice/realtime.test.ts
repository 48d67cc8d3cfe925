import { expect, test } from 'vitest';
import { waitFor } from '../../support/stack/wait-for.ts';
import { joinStream } from '../../support/twilio/media-stream.ts';
import { voiceLike } from '../../support/voice/voice-like.ts';
import {
  type RealtimeAnswer,
  type RealtimeServer,
  startRealtimeServer,
} from '../../support/voice/realtime-server.ts';
import { linesOf } from '../../support/voice/transcript-lines.ts';
import { openTwilioVoice } from './twilio-voice-world.ts';

const long = Array.from({ length: 60 }, (_, index) => `word${index}`).join(' ');

function lines(words: string): RealtimeAnswer {
  if (words.includes('how long')) return { say: `${long}.` };
  return { tool: { name: 'opt_out', arguments: { reason: 'asked' } } };
}

const open = (endpoints: Record<string, string>) =>
  openTwilioVoice({
    endpoints,
    voice: { mode: 'realtime', greeting: 'Hello there.', tts: { voice: 'marin' } },
    skills: ['end_call', 'opt_out'].map((type) => ({ type, config: {} })),
  });

// In real time: a quarter of a minute, and more on a busy machine.
test('a realtime model: µ-law both ways, cut where the person interrupted, with the tools and the record of every mode', async () => {
  const model: RealtimeServer = await startRealtimeServer({
    phrases: ['how long may I keep a book', 'leave me alone'],
    answer: lines,
  });
  const { call, record, voice, stack } = await open({ llm: model.url });
  const { callId, noun } = await call();
  const person = await joinStream(noun, { port: voice.port });
  await person.hearsVoice(0);
  await person.hearsSilence(600);
  await person.say(voiceLike(700));
  const answeredAt = await person.hearsVoice(performance.now());
  await person.hearsVoice(answeredAt + 1_500);
  // From then on, the record and the model know how long each word is.
  await waitFor('the model to have said everything', () => model.said().includes(`${long}.`));
  await person.say(voiceLike(1_200));
  const interruptedUntil = performance.now();
  await person.hearsSilence(300, answeredAt);
  await person.hearsVoice(interruptedUntil + 300);
  await person.left();
  expect(person.faults()).toEqual([]);
  // The model speaks ten times as fast as the person is to hear it.
  expect(person.mostAheadMs()).toBeLessThan((60 * 150) / 4);
  const read = await record(callId);

  expect(model.faults()).toEqual([]);
  expect(model.session()?.instructions).toContain('You are Ada.');
  expect(model.session()?.audio.output.voice).toBe('marin');
  expect(model.session()?.tools.map(({ name }) => name)).toEqual(['end_call', 'opt_out']);
  // Only speech and a little audio around it is sent: silence would be paid for.
  expect(model.heard()).toHaveLength(2);
  const heardMs = model.heard().reduce((sum, bytes) => sum + bytes / 8, 0);
  expect(heardMs).toBeLessThan(2 * (700 + 1_200));
  const transcript = linesOf(read);
  expect(transcript).toEqual([
    'Agent: Hello there.',
    'Person: how long may I keep a book',
    expect.stringMatching(/^Agent: word0 .* — \(interrupted\)$/),
    'Person: leave me alone',
    // Without asking the model what to say.
    'Agent: I understand. You will get no more calls from us. Goodbye.',
  ]);
  const [cut] = model.truncated();
  expect(model.truncated()).toHaveLength(1);
  // The model's history ends where the person stopped hearing it: after the words in the record, 150 ms each, give or take two.
  const heardWords = (transcript[2]?.match(/word/g) ?? []).length;
  expect(Math.abs((cut?.ms ?? 0) / 150 - heardWords)).toBeLessThanOrEqual(2);
  expect(model.outputs()[0]).toMatch(/^Done: this number will not be called again/);
  const suppressed = await stack.db.selectFrom('suppressions').select('phone_number').execute();
  expect(suppressed).toEqual([{ phone_number: '+12125550100' }]);
  expect(read.events?.find(({ type }) => type === 'conversation_ended')).toMatchObject({
    reason: 'opted_out',
    summary: 'A short call.',
    quality: { turns: 2, interruptions: 1 },
  });
});

test('a model that fails during a call ends it, with its transcript', async () => {
  const broken = await startRealtimeServer({ phrases: ['how long'], answer: () => ({ breaks: true }) });
  const { call, record, voice } = await open({ llm: broken.url });
  const { callId, noun } = await call();
  const person = await joinStream(noun, { port: voice.port });
  await person.hearsVoice(0);
  await person.hearsSilence(600);
  await person.say(voiceLike(700));
  await person.left();
  const read = await record(callId);
  expect(read.events?.find(({ type }) => type === 'conversation_ended')).toMatchObject({
    reason: 'endpoint_failed',
  });
  expect(linesOf(read)).toEqual(['Agent: Hello there.', 'Person: how long']);
});

test('a person who is called while no model is reached is hung up on at once', async () => {
  const down = await startRealtimeServer({ phrases: [], answer: lines, isDown: true });
  const { call, record, voice } = await open({ llm: down.url });
  const { callId, noun } = await call();
  const person = await joinStream(noun, { port: voice.port });
  await person.left();
  expect((await record(callId)).transcript).toBe('');
});
