import { describe, expect, onTestFinished, test } from 'vitest';
import { waitFor } from '../../support/stack/wait-for.ts';
import { joinRelay } from '../../support/twilio/conversation-relay.ts';
import { joinStream } from '../../support/twilio/media-stream.ts';
import { findSpeech } from '../../support/voice/find-speech.ts';
import {
  callTheLibrary,
  libraryAfterwards,
  libraryCall,
  libraryLines,
  libraryPhrases,
  libraryVoice,
} from '../../support/voice/library-call.ts';
import { expectLibraryRecord, expectLibrarySound } from '../../support/voice/library-checks.ts';
import { startLibraryRealtime } from '../../support/voice/library-realtime.ts';
import { startModelServers } from '../../support/voice/model-servers.ts';
import { type ModelRequest, type ScriptedAnswer, scriptedModel } from '../../support/voice/scripted-model.ts';
import { allAt } from './talking-process.ts';
import { openTwilioVoice, type TwilioVoiceWorld } from './twilio-voice-world.ts';

const speech = await findSpeech();
if (speech.state === 'missing' && process.env['OUTDIAL_REQUIRE_ASTERISK'] === '1') {
  throw new Error(speech.reason);
}

const open = (endpoints: Record<string, string>, voice: Record<string, unknown>) =>
  openTwilioVoice({
    endpoints,
    voice: { ...libraryVoice, ...voice },
    knowledge: libraryCall.knowledge,
  });

describe.skipIf(speech.state === 'missing')('the call of the library over a Media Stream', () => {
  const programs = () => {
    if (speech.state === 'missing') throw new Error(speech.reason);
    return speech.program;
  };

  /** Expects the same sound and record as in the other calls to the library. */
  async function expectLibraryCall(world: TwilioVoiceWorld): Promise<void> {
    const { callId, noun } = await world.call();
    const person = await joinStream(noun, { port: world.voice.port });
    if (person === null) throw new Error('the connection was refused');
    const instants = await callTheLibrary(person, programs());
    expect(person.faults()).toEqual([]);
    const record = await world.record(callId);
    await expectLibrarySound(person, instants, programs());
    expectLibraryRecord(record);
    // Twilio records the sound, because it has both sides.
    expect(world.twilio.callOf(callId)?.form.get('Record')).toBe('true');
    await waitFor(
      'the recording',
      async () => (await world.organization.clients.viewer.readCall(callId)).recording_url,
    );
  }

  test('with a recognizer, a chat model and a voice', { timeout: 90_000 }, async () => {
    const models = await startModelServers(programs(), {
      phrases: libraryPhrases,
      answer: libraryLines,
      afterwards: libraryAfterwards,
    });
    onTestFinished(() => models.close());
    await expectLibraryCall(await open(allAt(models), { mode: 'cascade', record: true }));
    expect(models.heard()).toEqual([libraryCall.question, libraryCall.interruption, libraryCall.goodbye]);
  });

  test('with a realtime model', { timeout: 90_000 }, async () => {
    const model = await startLibraryRealtime(programs());
    const voice = { mode: 'realtime', tts: { voice: 'marin' }, record: true };
    await expectLibraryCall(await open({ llm: model.url }, voice));
    expect(model.faults()).toEqual([]);
  });
});

/** The lines of the library's agent, for a model that validates the requests that it gets. */
function lines({ messages, response_format: format }: ModelRequest): ScriptedAnswer {
  if (format !== undefined) return { say: libraryAfterwards };
  const results = messages.filter(({ role }) => role === 'tool').map(({ content }) => content ?? '');
  const words = messages.findLast(({ role }) => role === 'user')?.content ?? '';
  const line = libraryLines(words, messages.at(-1)?.role === 'tool' ? results : []);
  return {
    ...(line.say !== undefined && { say: line.say }),
    ...('tool' in line && { tools: [{ name: line.tool, arguments: line.input }] }),
  };
}

test('the call of the library over ConversationRelay', async () => {
  const model = await scriptedModel(lines);
  onTestFinished(() => model.close());
  const { call, record, voice } = await open({ llm: model.url }, { mode: 'relay', language: 'en-US' });
  const { callId, noun } = await call();
  const person = await joinRelay(noun, { port: voice.port });
  if (person === null) throw new Error('the connection was refused');
  expect(await person.hears(0)).toMatchObject({ text: libraryCall.greeting });
  person.says(libraryCall.question);
  expect((await person.hears(1)).text).toMatch(/^You may keep a book for three weeks\. /);
  person.interruptsAfter('You may keep a book for three weeks. After that we');
  person.says(libraryCall.interruption);
  expect(await person.hears(2)).toMatchObject({ text: 'It costs two euros.' });
  person.says(libraryCall.goodbye);
  expect(await person.hears(3)).toMatchObject({ text: 'Thank you, goodbye.' });
  await person.left();
  expect(person.hasEnded()).toBe(true);
  expect(person.faults()).toEqual([]);
  expectLibraryRecord(await record(callId));
});
