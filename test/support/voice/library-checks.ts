import type { Call } from '@outdial/contracts';
import { lineRate } from '@outdial/voice/sound';
import { expect } from 'vitest';
import { expectAsMuchVoice } from './expect-as-much-voice.ts';
import type { SpeechPrograms } from './find-speech.ts';
import { libraryCall, type LibraryInstants } from './library-call.ts';
import { voicedMs } from './loudness.ts';
import type { Listener } from './people.ts';
import { agentSays, personSays, recognizerFile, understand } from './speech.ts';
import { type Recording, turnsIn } from './turns-in-recording.ts';
import { linesOf } from './transcript-lines.ts';

/** Checks the record of such a call over any carrier: the turns in order, the interrupted answer cut off, the search result, and the extracted data. */
export function expectLibraryRecord(record: Call, greeting: string = libraryCall.greeting): void {
  const { question, interruption, goodbye, extract } = libraryCall;
  const lines = linesOf(record);
  expect(lines).toEqual([
    `Agent: ${greeting}`,
    `Person: ${question}`,
    expect.stringMatching(/^Agent: You may keep a book for three weeks\..* — \(interrupted\)$/),
    `Person: ${interruption}`,
    'Agent: It costs two euros.',
    `Person: ${goodbye}`,
    'Agent: Thank you, goodbye.',
  ]);
  expect(lines[2]).not.toContain('in time');
  const types = record.events?.map(({ type }) => type) ?? [];
  expect(types).toContain('connected');
  expect(types).toContain('knowledge_cited');
  expect(record.events?.find(({ type }) => type === 'conversation_ended')).toMatchObject({
    reason: 'agent_done',
    summary: libraryCall.summary,
    quality: { turns: 3, interruptions: 1, words_recognized: 14 },
  });
  expect(record.call_extract).toEqual(extract.value);
}

/** Checks that the audio at the person's end has the answer from the knowledge base, and not a similar sentence. */
async function expectAnswerInSound(programs: SpeechPrograms, answer: Int16Array): Promise<void> {
  const sentences = ['two', 'three'].map((count) => `you may keep a book for ${count} weeks`);
  expect(await understand(programs, sentences, recognizerFile(answer))).toBe(sentences[1]);
}

/**
 * What the person heard: the greeting once and whole, the answer, but not all of it, and the last answers whole. Nothing here depends on
 * how fast the machine is: how long a person waits is measured by `npm run bench`.
 */
export async function expectLibrarySound(
  person: Listener,
  at: LibraryInstants,
  programs: SpeechPrograms,
  greeting: string = libraryCall.greeting,
): Promise<void> {
  const spoken = (words: string) => agentSays(programs, words, lineRate);
  expectAsMuchVoice(person.heard(0, at.askedAt), await spoken(greeting));
  await expectAnswerInSound(programs, person.heard(at.answeredAt - 100).subarray(0, 2.4 * lineRate));
  const last = [await spoken('It costs two euros.'), await spoken('Thank you, goodbye.')];
  expectAsMuchVoice(person.heard(at.interruptedUntil), ...last);
  const whole = await spoken(libraryCall.answer('three weeks'));
  expect(voicedMs(person.heard(at.answeredAt - 100, at.interruptedUntil))).toBeLessThan(
    0.9 * voicedMs(whole),
  );
}

/** Both sides in stereo, whole, as long as the call, and in the order in which they spoke. */
export async function expectLibraryRecording(
  recording: Recording,
  person: Listener,
  at: LibraryInstants,
  programs: SpeechPrograms,
): Promise<void> {
  const { question, interruption, goodbye } = libraryCall;
  const said = [question, interruption, goodbye].map((text) => personSays(programs, text));
  expectAsMuchVoice(recording.left, ...(await Promise.all(said)));
  expectAsMuchVoice(recording.right, person.heard());
  const callSeconds = (at.leftAt - person.pickedUpAt) / 1_000;
  expect(Math.abs(recording.seconds / callSeconds - 1)).toBeLessThan(0.25);
  const turns = turnsIn(recording);
  const sides = ['agent', 'person', 'agent', 'person', 'agent', 'person', 'agent'];
  expect(turns.map(({ side }) => side)).toEqual(sides);
  // One waits for the other, except where the person interrupts.
  const early = turns.flatMap(({ from }, nth) => (from <= (turns[nth - 1]?.until ?? -1) ? [nth] : []));
  expect(early.filter((nth) => nth !== sides.indexOf('person', 2))).toEqual([]);
}
