import type { Call } from '@outdial/contracts';
import { expect } from 'vitest';
import type { SpeechPrograms } from './find-speech.ts';
import { libraryCall, type LibraryInstants } from './library-call.ts';
import { loudness, seconds } from './loudness.ts';
import type { Listener } from './people.ts';
import { recognizerFile, understand } from './speech.ts';
import { linesOf } from './transcript-lines.ts';

/** The record of such a call, whatever carried it: in order, cut where it was interrupted, with what was looked up and what was read out of it. */
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

/** What only the knowledge base says is in the sound that reached the person: this sentence, and not the one beside it. */
async function expectAnswerInSound(programs: SpeechPrograms, answer: Int16Array): Promise<void> {
  const sentences = ['two', 'three'].map((count) => `you may keep a book for ${count} weeks`);
  expect(await understand(programs, sentences, recognizerFile(answer))).toBe(sentences[1]);
}

/** What the person had to wait for, and what they heard. The bounds hold on a busy machine; what each may be is measured on one that does nothing else. */
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

/** Both sides in stereo, as long as the call. */
export function expectLibraryRecording(
  recording: { seconds: number; left: Int16Array; right: Int16Array },
  person: Listener,
  at: LibraryInstants,
): void {
  const { left, right } = recording;
  expect(Math.abs(recording.seconds - (at.leftAt - person.pickedUpAt) / 1_000)).toBeLessThan(1.5);
  // The greeting is the agent's alone; where the person asks, the agent is silent.
  const greeted = Math.round((at.firstWordAt - person.pickedUpAt) / 1_000) + 1;
  const asked = (at.askedAt - person.pickedUpAt) / 1_000 - 0.5;
  const part = (side: Int16Array, from: number, to: number) => loudness(seconds(side, from, to));
  expect(part(right, 0, greeted)).toBeGreaterThan(5 * part(left, 0, greeted));
  expect(part(left, asked - 1, asked)).toBeGreaterThan(5 * part(right, asked - 1, asked));
}
