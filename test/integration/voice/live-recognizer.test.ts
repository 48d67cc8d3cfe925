import { expect, onTestFinished, test } from 'vitest';
import { waitFor } from '../../support/stack/wait-for.ts';
import { joinStream } from '../../support/twilio/media-stream.ts';
import { liveRecognizer } from '../../support/voice/live-recognizer.ts';
import { scriptedModel } from '../../support/voice/scripted-model.ts';
import { linesOf } from '../../support/voice/transcript-lines.ts';
import { startToneModels } from '../../support/voice/tone-models.ts';
import { voiceLike } from '../../support/voice/voice-like.ts';
import { openTwilioVoice } from './twilio-voice-world.ts';

const question = 'how long may I keep a book?';

test('a recognizer listens while the person speaks, and a reply that was begun early is used', async () => {
  const asked: string[] = [];
  const listens = await liveRecognizer([question, 'Goodbye.']);
  const model = await scriptedModel(({ messages, response_format: format }) => {
    if (format !== undefined) return { say: '{"summary":"A short call."}' };
    const words = messages.at(-1)?.content ?? '';
    asked.push(words);
    return words === question ? { say: 'Three weeks.' } : { say: 'Goodbye.', tools: [{ name: 'end_call' }] };
  });
  onTestFinished(() => model.close());
  const speech = await startToneModels({});
  const { call, record, voice } = await openTwilioVoice({
    endpoints: { llm: model.url, stt: listens.url, tts: speech.url },
    voice: { mode: 'cascade', greeting: 'Hello there.' },
  });
  const { callId, noun } = await call();
  const person = await joinStream(noun, { port: voice.port, delayMs: 0 });
  await person.hearsVoice(0);
  await person.hearsSilence(600);
  await person.say(voiceLike(700));
  const answeredAt = await person.hearsVoice(performance.now());
  await person.hearsSilence(600, answeredAt);
  expect(listens.connections()).toBe(1);
  await person.say(voiceLike(1_200));
  await person.left();

  expect(linesOf(await record(callId))).toEqual([
    'Agent: Hello there.',
    `Person: ${question}`,
    'Agent: Three weeks.',
    'Person: Goodbye.',
    'Agent: Goodbye.',
  ]);
  // Each reply was begun once, although its words came twice.
  expect(asked).toEqual([question, 'Goodbye.']);
  expect(Math.min(...listens.heard)).toBeGreaterThan(700 * 8);
  await waitFor('the connection to end', () => Promise.resolve(listens.connections() === 0));
});
