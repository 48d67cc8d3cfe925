import { lineRate } from '@outdial/voice/sound';
import { describe, expect, test } from 'vitest';
import { waitFor } from '../../support/stack/wait-for.ts';
import { expectAsMuchVoice } from '../../support/voice/expect-as-much-voice.ts';
import { atLoudness, beginningOf, decibelsOverNoise, seconds } from '../../support/voice/loudness.ts';
import type { ChatAnswer } from '../../support/voice/model-servers.ts';
import type { Person } from '../../support/voice/people.ts';
import { agentSays, personSays, recognizerFile, understand } from '../../support/voice/speech.ts';
import { linesOf } from '../../support/voice/transcript-lines.ts';
import { isVoiceMissing, useVoice, type VoiceWorld } from './voice-world.ts';

const greeting = 'Hello, this is Ada from the library.';
const question = 'how long may i keep a book';
const answer = 'You may keep a book for three weeks.';
const goodbye = 'goodbye';
const farewell = 'Thank you, goodbye.';

function lines(words: string, results: readonly string[]): ChatAnswer {
  if (results.length > 0) return { say: '' };
  if (words.includes('how long')) return { say: answer };
  return { say: farewell, tool: 'end_call', input: {} };
}

const voiceLoudness = 5_000;
/** Ten decibels below the voice. */
const noiseLoudness = voiceLoudness / Math.sqrt(10);
const jitterMs = 20;
/** So long that the noise would count as a turn if it were taken for speech. */
const saysNothingMs = 2_500;

/** Instants of `performance.now()`. */
interface Heard {
  askedAt: number;
  answeredAt: number;
  leftAt: number;
}

describe.skipIf(isVoiceMissing)('people on bad lines, over real Asterisks', () => {
  const openWorld = useVoice({ jitterMs });

  /** Hears the greeting, is silent for a while, asks a question, hears the whole answer, and says goodbye. */
  async function talk(person: Person, asks: Int16Array, leaves: Int16Array): Promise<Heard> {
    await person.hearsVoice(0);
    await person.hearsSilence(saysNothingMs);
    await person.say(asks);
    const askedAt = performance.now();
    const answeredAt = await person.hearsVoice(askedAt);
    await person.hearsSilence(1_000, answeredAt);
    await person.say(leaves);
    const leftAt = await waitFor('the agent to hang up', () => person.leftAt());
    return { askedAt, answeredAt, leftAt };
  }

  async function expectWholeCall(world: VoiceWorld, callId: string, person: Person, at: Heard) {
    const record = await world.record(callId);
    expect(linesOf(record)).toEqual([
      `Agent: ${greeting}`,
      `Person: ${question}`,
      `Agent: ${answer}`,
      `Person: ${goodbye}`,
      `Agent: ${farewell}`,
    ]);
    expect(record.events?.find(({ type }) => type === 'conversation_ended')).toMatchObject({
      reason: 'agent_done',
      quality: { turns: 2, interruptions: 0, words_recognized: 8 },
    });
    const spoken = (words: string) => agentSays(world.speech, words, lineRate);
    expectAsMuchVoice(person.heard(0, at.askedAt), await spoken(greeting));
    expectAsMuchVoice(person.heard(at.askedAt), await spoken(answer), await spoken(farewell));
    const sentences = ['two', 'three'].map((count) => `you may keep a book for ${count} weeks`);
    const heard = person.heard(at.answeredAt - 100).subarray(0, 2.4 * lineRate);
    expect(await understand(world.speech, sentences, recognizerFile(heard))).toBe(sentences[1]);
    const recording = await world.recording(callId);
    const callSeconds = (at.leftAt - person.pickedUpAt) / 1_000;
    expect(Math.abs(recording.seconds / callSeconds - 1)).toBeLessThan(0.25);
    return recording;
  }

  test(
    'hear the greeting and the answer, are understood, and are hung up on: with suppressed silence, and with permanent noise',
    // In real time: a quarter of a minute, and the start of the services.
    async () => {
      const world = await openWorld({ phrases: [question, goodbye], answer: lines, voice: { record: true } });
      const { people } = world;
      const [asks, leaves] = [
        atLoudness(await personSays(world.speech, question), voiceLoudness),
        atLoudness(await personSays(world.speech, goodbye), voiceLoudness),
      ];
      people.line('0112', { suppressesSilence: true, noiseLoudness });
      people.line('0114', { noiseLoudness });
      const [suppressedId, noisyId] = [await world.call('+12125550112'), await world.call('+12125550114')];
      const [suppressed, noisy] = [await people.at('0112'), await people.at('0114')];
      const [onSuppressed, onNoisy] = await Promise.all([
        talk(suppressed, asks, leaves),
        talk(noisy, asks, leaves),
      ]);
      await expectWholeCall(world, suppressedId, suppressed, onSuppressed);
      const { left, seconds: callSeconds } = await expectWholeCall(world, noisyId, noisy, onNoisy);

      // Besides the speech, only the noise before it is known is transcribed: little of all the noise that came.
      const { models } = world;
      const given = models.givenSeconds().map((length, nth) => ({ length, words: models.heard()[nth] }));
      const understood = given.filter(({ words }) => words !== '');
      for (const phrase of [question, goodbye]) {
        expect(understood.filter(({ words }) => words === phrase)).toHaveLength(2);
      }
      expect(understood).toHaveLength(4);
      const saidSeconds = [asks, leaves].map((said) => said.length / lineRate);
      for (const { length } of understood) expect(length).toBeLessThan(2 * Math.max(...saidSeconds));
      const noise = given.filter(({ words }) => words === '').reduce((sum, { length }) => sum + length, 0);
      expect(noise).toBeLessThan((callSeconds - saidSeconds.reduce((sum, one) => sum + one, 0)) / 2);

      // The noise came. loudness.test.ts measures it: here, a busy machine has gaps in it.
      const beganAt = beginningOf(asks, left);
      const askedAt = beganAt + asks.length / lineRate;
      const decibels = decibelsOverNoise({
        said: asks,
        recorded: seconds(left, beganAt - 0.3, askedAt + 0.3),
        noise: seconds(left, beganAt - 1.8, beganAt - 0.3),
      });
      expect(decibels).toBeLessThan(13);
      expect(Math.max(...world.waits())).toBeGreaterThan(jitterMs - 5);
      expect(Math.min(...world.waits())).toBeLessThan(5);
    },
  );
});
