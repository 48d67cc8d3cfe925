import { frameBytes, fromMuLaw, lineRate } from '@outdial/voice/sound';
import { describe, expect, test } from 'vitest';
import type { ChatAnswer } from '../../support/voice/model-servers.ts';
import { loud, loudness, voicedMs } from '../../support/voice/loudness.ts';
import type { Person } from '../../support/voice/people.ts';
import { startRealtimeServer } from '../../support/voice/realtime-server.ts';
import { agentSays, personSays, recognizerFile, tone, understand } from '../../support/voice/speech.ts';
import { isLongRun } from '../../support/full-run.ts';
import { waitFor } from '../../support/stack/wait-for.ts';
import { isVoiceMissing, speechPrograms, useVoice, type VoiceWorld } from './voice-world.ts';

const asks = 'please give me the office';
const yes = 'yes';
/** What the agent says to a target, and asks them. */
const briefing = 'A reader asks how long a book may be kept.';
const question = 'Press one or say yes to take the call.';
const mailbox = 'please leave a message after the tone';
const phrases = [asks, yes, mailbox];
const targets = [
  { name: 'the desk', to: '+12125550191', mode: 'warm' },
  { name: 'the office', to: '+12125550190', mode: 'warm' },
];
const skills = [{ type: 'transfer_call', config: { targets } }];

/** Tries the desk, and then the office. */
function lines(words: string): ChatAnswer {
  if (words.includes('is on the line')) return { say: briefing };
  const target = words.includes('nobody took the call') ? 'the office' : 'the desk';
  return { say: 'I connect you.', tool: 'transfer_call', input: { target } };
}

/** How high a sound is, by its zero crossings. */
function pitchOf(frame: Int16Array): number {
  const signs = [...frame].map((sample) => sample >= 0);
  return (signs.filter((sign, at) => at > 0 && sign !== signs[at - 1]).length / 2 / frame.length) * lineRate;
}

/** The person heard the two tones of ringing, with pauses, and nothing else. */
function expectHoldSound(person: Person, from: number, to: number): void {
  const heard = person.heard(from, to);
  const frames = Array.from({ length: Math.floor(heard.length / frameBytes) }, (_, nth) =>
    heard.subarray(nth * frameBytes, (nth + 1) * frameBytes),
  ).filter((frame) => loudness(frame) > loud);
  const others = frames.filter((frame) => Math.abs(pitchOf(frame) - 460) > 80);
  expect(frames.length).toBeGreaterThan(10);
  // The beat of the two tones is nearly silent between.
  expect(others.length / frames.length).toBeLessThan(0.1);
  expect(voicedMs(heard)).toBeLessThan((to - from) * 0.6);
}

/** The person asks for a colleague. A mailbox answers at the desk, and the person is back with the agent, who then calls the office. */
async function toTheOffice(world: VoiceWorld, number: string) {
  const [spoken, announced] = await Promise.all(
    [asks, mailbox].map((text) => personSays(speechPrograms(), text)),
  );
  if (!spoken || !announced) throw new Error('two sentences are needed');
  const callId = await world.call(number);
  const person = await world.people.at(number.slice(-4));
  await person.hearsVoice(0);
  await person.hearsSilence(800);
  await person.say(spoken);
  const desk = await world.people.at('0191');
  const heldFrom = (await desk.hearsVoice(0)) + 300;
  await desk.say(announced);
  const office = await world.people.at('0190');
  expect(desk.leftAt()).not.toBeNull();
  expectHoldSound(person, heldFrom, desk.leftAt() ?? Infinity);
  // The agent told them, and called the office.
  const briefedFrom = await office.hearsVoice(0);
  const told = await Promise.all(
    [briefing, question].map((text) => agentSays(speechPrograms(), text, lineRate)),
  );
  const toldMs = told.reduce((sum, sound) => sum + voicedMs(sound), 0);
  await waitFor('the question', () => voicedMs(office.heard()) > toldMs * 0.85);
  await office.hearsSilence(600);
  return { callId, person, office, briefedFrom };
}

/** Person and colleague hear each other, until the colleague hangs up. */
async function expectConnected(
  world: VoiceWorld,
  { callId, person, office }: { callId: string; person: Person; office: Person },
) {
  const record = await world.record(callId);
  expect(record.events).toContainEqual(expect.objectContaining({ reason: 'transferred' }));
  const results = (record.events ?? []).flatMap((event) =>
    event.type === 'transfer_ended' ? [event['result']] : [],
  );
  expect(results).toEqual(['not_taken', 'connected']);
  expect(String(record.transcript)).not.toMatch(/reader asks|message after the tone|Person: yes/i);
  const joinedAt = performance.now();
  await office.say(tone(600, 400));
  await person.hearsVoice(joinedAt);
  const heardAt = performance.now();
  await person.say(tone(600, 400));
  await office.hearsVoice(heardAt);
  office.hangUp();
  await waitFor('the person to be hung up on', () => person.leftAt());
  expect(await world.ended(callId)).toMatchObject({ meta: { outcome: 'completed' } });
}

// In real time: half a minute each, and more on a busy machine.
describe.skipIf(isVoiceMissing)('a warm transfer on a real telephone line', () => {
  const openWorld = useVoice();

  test('is private, is no mailbox’s to take, and is taken by a key', async () => {
    const world = await openWorld({ phrases, skills, answer: lines, voice: { record: true } });
    const call = await toTheOffice(world, '+12125550103');
    expectHoldSound(call.person, call.briefedFrom + 300, performance.now());
    await world.press('1', '0190');
    await expectConnected(world, call);
    // Nothing of the colleagues is on the recording.
    const { left } = await world.recording(call.callId);
    const spoken = await personSays(speechPrograms(), asks);
    expect(voicedMs(left)).toBeLessThan(voicedMs(spoken) * 1.3);
  });

  // packages/voice/src/call/warm-transfer.test.ts has the words, and the test before this one the line.
  test.runIf(isLongRun)('is the same with a realtime model, and taken by a word', async () => {
    const programs = speechPrograms();
    const model = await startRealtimeServer({
      phrases: [],
      sound: {
        hears: (bytes) => understand(programs, phrases, recognizerFile(fromMuLaw(bytes))),
        speaks: (text) => agentSays(programs, text, lineRate),
      },
      answer(words) {
        const line = lines(words);
        return 'tool' in line
          ? { say: line.say ?? '', tool: { name: line.tool, arguments: line.input } }
          : line;
      },
    });
    const world = await openWorld({
      phrases: [],
      skills,
      answer: () => ({ say: '' }),
      llmUrl: model.url,
      voice: { mode: 'realtime', tts: { voice: 'marin' } },
    });
    const call = await toTheOffice(world, '+12125550105');
    const spoken = await personSays(programs, yes);
    await call.office.say(spoken);
    // A busy machine may lose a part of the word: they are asked once more.
    const isHeard = waitFor(
      'the question again',
      () => model.said().filter((line) => line === question).length > 2,
    );
    isHeard.then(() => call.office.say(spoken)).catch(() => undefined);
    await expectConnected(world, call);
    expect(model.faults()).toEqual([]);
  });
});
