import type { Call } from '@outdial/contracts';
import { expect } from 'vitest';
import type { SpeechPrograms } from './find-speech.ts';
import { libraryCall, type LibraryInstants } from './library-call.ts';
import { loudness, seconds } from './loudness.ts';
import type { Listener } from './people.ts';
import { recognizerFile, understand } from './speech.ts';
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

/** Checks the delays at the person's end. The bounds allow for a busy machine; benchmarks measure the delays on an idle one. */
export async function expectLibrarySound(
  person: Listener,
  at: LibraryInstants,
  programs: SpeechPrograms,
): Promise<void> {
  expect(at.firstWordAt - person.pickedUpAt).toBeLessThan(2_500);
  expect(at.answeredAt - at.askedAt).toBeLessThan(4_000);
  expect(at.silentFrom - at.interruptedAt).toBeLessThan(1_500);
  expect(at.leftAt - person.lastVoiceAt()).toBeLessThan(1_500);
  await expectAnswerInSound(programs, person.heard(at.answeredAt - 100, at.answeredAt + 2_300));
}

/** Checks that the recording has both sides in stereo, and the length of the call. */
export function expectLibraryRecording(
  recording: { seconds: number; left: Int16Array; right: Int16Array },
  person: Listener,
  at: LibraryInstants,
): void {
  const { left, right } = recording;
  expect(Math.abs(recording.seconds - (at.leftAt - person.pickedUpAt) / 1_000)).toBeLessThan(1.5);
  // During the greeting only the agent speaks; during the question only the person.
  const greeted = Math.round((at.firstWordAt - person.pickedUpAt) / 1_000) + 1;
  const asked = (at.askedAt - person.pickedUpAt) / 1_000 - 0.5;
  const part = (side: Int16Array, from: number, to: number) => loudness(seconds(side, from, to));
  expect(part(right, 0, greeted)).toBeGreaterThan(5 * part(left, 0, greeted));
  expect(part(left, asked - 1, asked)).toBeGreaterThan(5 * part(right, asked - 1, asked));
}
