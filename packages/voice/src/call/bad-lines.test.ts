import { beforeAll, describe, expect, test } from 'vitest';
import { loadVoiceActivity, type VoiceActivity } from '../activity/voice-activity.ts';
import { frameMs, toMuLaw } from '../audio/mu-law.ts';
import { framesOf, loudness, noiseFrom, silence, vowels } from '../machine/sound.fixture.ts';
import { callWith, steps } from './call.fixture.ts';

let detector: () => VoiceActivity;
beforeAll(async () => {
  detector = await loadVoiceActivity();
});

/** The rumble of a room or a car, this many decibels below a voice. */
function inNoise(samples: Int16Array, belowDb: number): Int16Array {
  const next = noiseFrom(11);
  const lowness = 0.95;
  const share = loudness(vowels(2_000)) * 10 ** (-belowDb / 20) * Math.sqrt(3 * (1 - lowness ** 2));
  let level = 0;
  return samples.map((sample) => {
    level = lowness * level + share * next();
    return Math.max(-32_000, Math.min(32_000, sample + level));
  });
}

const firstMs = 1_500;
const secondMs = 1_000;
const said = [silence(3_000), vowels(firstMs), silence(3_000), vowels(secondMs), silence(2_000)];
const lastsMs = said.reduce((sum, sound) => sum + sound.length / 8, 0);

interface Faults {
  noiseDb?: number;
  /** How much later each frame may arrive. Frames stay in order. */
  jitterMs?: number;
  /** Nothing is sent while the person is silent. */
  suppressesSilence?: boolean;
  /** For this long, nothing arrives in the middle of the first sentence; then everything arrives at once. */
  holdsUpMs?: number;
  /** How much audio is lost after the first sentence. */
  losesMs?: number;
}

function arrivals({ noiseDb, jitterMs = 0, suppressesSilence = false, holdsUpMs = 0, losesMs = 0 }: Faults) {
  const whole = Int16Array.from(said.flatMap((sound) => [...sound]));
  const heard = noiseDb === undefined ? whole : inNoise(whole, noiseDb);
  const loud = [...framesOf(whole)].map((frame) => frame.some((sample) => Math.abs(sample) > 500));
  const next = noiseFrom(5);
  const heldUp = { from: 3_500, to: 3_500 + holdsUpMs };
  let earliest = 0;
  return [...framesOf(heard)].flatMap((frame, index) => {
    if (suppressesSilence && loud[index] !== true) return [];
    const sentAt = (index + 1) * frameMs;
    if (sentAt > 5_500 && sentAt <= 5_500 + losesMs) return [];
    const onTime = sentAt > heldUp.from && sentAt < heldUp.to ? heldUp.to : sentAt;
    earliest = Math.max(earliest, onTime + Math.abs(next()) * jitterMs);
    return [{ afterMs: earliest, bytes: toMuLaw(frame) }];
  });
}

/** A line that stalls for two seconds, and then delivers everything at once. */
async function twoSecondsBehind(args: Parameters<typeof callWith>[0]) {
  const call = callWith(args);
  const late = [...framesOf(vowels(2_000))].map((frame) => ({ afterMs: 2_000, bytes: toMuLaw(frame) }));
  await call.receives(2_020, late);
  return call;
}

async function talkOver(faults: Faults) {
  const call = callWith({
    activity: detector(),
    transcripts: ['How long?', 'Goodbye.'],
    answer: (heard) =>
      heard === 'Goodbye.'
        ? steps({ kind: 'say', text: 'Goodbye.' }, { kind: 'end_call', reason: 'agent_done' })
        : steps({ kind: 'say', text: 'Three weeks.' }),
  });
  await call.receives(lastsMs + 1_500, arrivals(faults));
  return call;
}

const dialogue = ['person: How long?', 'agent: Three weeks.', 'person: Goodbye.', 'agent: Goodbye.'];

describe('turns', () => {
  test.each<[string, Faults]>([
    ['a good line', {}],
    ['a line with suppressed silence', { suppressesSilence: true }],
    ['a line with 20 ms of jitter', { jitterMs: 20 }],
    ['a line with noise ten decibels below the voice', { noiseDb: 10 }],
    ['a line with all of these', { suppressesSilence: true, jitterMs: 20, noiseDb: 10 }],
    ['a line with noise that never stops, and jitter', { jitterMs: 20, noiseDb: 10 }],
    ['a line with noise that stops for a moment', { noiseDb: 10, losesMs: 600 }],
    ['a line that stalls for a moment in the middle of a sentence', { holdsUpMs: 350 }],
  ])('match what the person said on %s', async (_, faults) => {
    const call = await talkOver(faults);
    expect(call.dialogue()).toEqual(dialogue);
    expect(call.ended()).toBe('agent_done');
    // Each utterance is a whole sentence, with a little audio before and after it.
    const [first = 0, second = 0, ...others] = call.utterances;
    expect(others).toEqual([]);
    expect(first).toBeGreaterThan(firstMs - 150);
    expect(first).toBeLessThan(firstMs + 800);
    expect(second).toBeGreaterThan(secondMs - 150);
    expect(second).toBeLessThan(secondMs + 800);
  });
});

describe('audio that arrives two seconds late', () => {
  test('does not separate keys that are pressed one after the other', async () => {
    const call = await twoSecondsBehind({});
    for (const digit of '1234') {
      call.call.key(digit);
      await call.goOn(240);
    }
    await call.goOn(1_000);
    expect(call.keysAnswered).toEqual(['1234']);
  });

  test('lets a tool work for a second before the agent fills the silence', async () => {
    const said: string[] = [];
    const call = await twoSecondsBehind({
      async *answer() {
        yield { kind: 'working', tool: 'look_up' };
        await new Promise(() => undefined);
      },
      async *speak(text) {
        said.push(text);
        yield new Int16Array(8_000);
      },
      transcripts: ['How long?'],
    });
    // The end of the sentence is heard after 400 ms.
    await call.goOn(1_300);
    expect(call.heardByModel).toEqual(['How long?']);
    expect(said).toEqual([]);
    await call.goOn(200);
    expect(said).toEqual(['One moment.']);
  });

  test('does not delay the answer to a sentence that sounds unfinished', async () => {
    const call = await twoSecondsBehind({ transcripts: ['I would like the'] });
    await call.goOn(1_100);
    expect(call.heardByModel).toEqual(['I would like the']);
  });
});
