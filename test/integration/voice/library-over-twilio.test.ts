import { describe, expect, onTestFinished, test } from 'vitest';
import { waitFor } from '../../support/stack/wait-for.ts';
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
import { startModelServers } from '../../support/voice/model-servers.ts';
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

  test('with a recognizer, a chat model and a voice', async () => {
    const models = await startModelServers(programs(), {
      phrases: libraryPhrases,
      answer: libraryLines,
      afterwards: libraryAfterwards,
    });
    onTestFinished(() => models.close());
    await expectLibraryCall(await open(allAt(models), { mode: 'cascade', record: true }));
    expect(models.heard()).toEqual([libraryCall.question, libraryCall.interruption, libraryCall.goodbye]);
  });
});
