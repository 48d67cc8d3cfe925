import { onTestFinished, expect, test } from 'vitest';
import { waitFor } from '../../support/stack/wait-for.ts';
import { joinRelay } from '../../support/twilio/conversation-relay.ts';
import { type ModelRequest, type ScriptedAnswer, scriptedModel } from '../../support/voice/scripted-model.ts';
import { linesOf } from '../../support/voice/transcript-lines.ts';
import { openTwilioVoice } from './twilio-voice-world.ts';

/** A model with scripted answers. */
function lines({ messages, response_format: format }: ModelRequest): ScriptedAnswer {
  if (format !== undefined) return { say: '{"summary":"A short call."}' };
  const last = messages.at(-1);
  if (last?.role === 'tool') return { say: 'Done.' };
  const words = last?.content ?? '';
  if (words.includes('how long')) {
    return { say: 'You may keep a book for three weeks. Then we write to you.' };
  }
  if (words.includes('cost')) return { say: 'It costs two euros.' };
  if (words.includes('pressed')) return { tools: [{ name: 'send_dtmf', arguments: { digits: '12#' } }] };
  return { say: 'Goodbye.', tools: [{ name: 'end_call' }] };
}

async function open(voice: Record<string, unknown> = {}) {
  const model = await scriptedModel(lines);
  onTestFinished(() => model.close());
  const world = await openTwilioVoice({
    endpoints: { llm: model.url },
    voice: { mode: 'relay', greeting: 'Hello.', language: 'en-US', ...voice },
    skills: ['end_call', 'send_dtmf'].map((type) => ({ type, config: {} })),
  });
  return { ...world, model };
}

test('a conversation over ConversationRelay: the record has the words that were heard, keys go both ways, and the agent ends it', async () => {
  const { call, record, voice, model } = await open({ tts: { voice: 'en-US-Journey-O' } });
  const { callId, noun } = await call();
  expect(noun.attributes).toMatchObject({
    url: 'wss://voice.example.com/twilio/relay',
    language: 'en-US',
    voice: 'en-US-Journey-O',
    dtmfDetection: 'true',
  });
  const person = await joinRelay(noun, { port: voice.port });
  // The "Hello?" of a person who picks up does not interrupt it.
  expect(await person.hears(0)).toEqual({ text: 'Hello.', interruptible: false });
  person.says('how long may I keep a book', 'how long');
  expect(await person.hears(1)).toEqual({
    text: 'You may keep a book for three weeks. Then we write to you.',
    interruptible: true,
  });
  person.interruptsAfter('you may keep a book');
  person.says('what does it cost');
  await person.hears(2);
  // A key interrupts Twilio as speech does.
  person.interruptsAfter('it costs');
  person.presses('1');
  await waitFor('digits', () => (person.digits().length > 0 ? true : null));
  await person.hears(3);
  person.says('goodbye');
  await person.left();
  expect(person.digits()).toEqual(['12#']);
  expect(person.hasEnded()).toBe(true);
  expect(person.faults()).toEqual([]);

  const read = await record(callId);
  expect(linesOf(read)).toEqual([
    'Agent: Hello.',
    'Person: how long may I keep a book',
    'Agent: You may keep a book — (interrupted)',
    'Person: what does it cost',
    'Agent: It costs — (interrupted)',
    'Agent: Done.',
    'Person: goodbye',
    'Agent: Goodbye.',
  ]);
  const ended = read.events?.find(({ type }) => type === 'conversation_ended');
  expect(ended).toMatchObject({ reason: 'agent_done', quality: { turns: 3, interruptions: 2 } });
  // The model's history contains only what the person heard of an answer.
  const asked = model.requests.find(({ messages }) => messages.at(-1)?.content?.includes('cost'));
  expect(asked?.messages.at(-2)).toMatchObject({ role: 'assistant', content: 'You may keep a book' });
});

test('a connection is taken with the token of its call, signed by Twilio, and not otherwise', async () => {
  const { call, record, voice } = await open();
  const { callId, noun } = await call();
  const { port } = voice;
  for (const signature of ['bm90IHR3aWxpbw==', null]) {
    await expect(joinRelay(noun, { port, signature })).rejects.toThrow('401');
  }
  for (const token of ['', 'nonsense', `${noun.parameters['token']?.slice(0, -2)}xx`]) {
    const stranger = await joinRelay(noun, { port, parameters: { token } });
    await stranger.left();
  }
  expect(voice.calls()).toBe(0);
  const person = await joinRelay(noun, { port });
  await person.hears(0);
  // No process takes over a call in progress.
  const second = await joinRelay(noun, { port });
  await second.left();
  expect(voice.calls()).toBe(1);
  person.hangsUp();
  const read = await record(callId);
  expect(read.events?.find(({ type }) => type === 'conversation_ended')).toMatchObject({ reason: 'left' });
});
