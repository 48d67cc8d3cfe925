import { writeFile } from 'node:fs/promises';
import { lineRate, wavFile } from '@outdial/voice/sound';
import type { SpeechPrograms } from '../voice/find-speech.ts';
import { libraryCall, type LibraryInstants } from '../voice/library-call.ts';
import { personSays } from '../voice/speech.ts';
import type { PageLine } from './page-line.ts';

/**
 * The reader's silence before each sentence. The greeting ends in the first pause, and the answer about the price in the last. In the middle one, an
 * answer of ten seconds begins, which contains the text of the knowledge base in its first three seconds.
 */
const pauses = [8, 7, 7] as const;

/** Writes the audio file of the reader's microphone, and returns the Chromium flags to use it. The file starts from the beginning in each call. */
export async function libraryMicrophone(programs: SpeechPrograms, file: string): Promise<readonly string[]> {
  const { question, interruption, goodbye } = libraryCall;
  const sentences = await Promise.all(
    [question, interruption, goodbye].map((text) => personSays(programs, text)),
  );
  const sound = sentences.flatMap((sentence, nth) => [
    ...new Int16Array((pauses[nth] ?? 0) * lineRate),
    ...sentence,
  ]);
  await writeFile(file, wavFile(Int16Array.from(sound), { rate: lineRate, channels: 1 }));
  return [
    '--use-fake-ui-for-media-stream',
    '--use-fake-device-for-media-stream',
    // Without `%noloop`, Chromium repeats the file.
    `--use-file-for-fake-audio-capture=${file}%noloop`,
  ];
}

/** The instants of a library call in a page. */
export function libraryInstants({ said, voices, leftAt }: PageLine): LibraryInstants {
  const [asks, interrupts, leaves] = said;
  if (!asks || !interrupts || !leaves) throw new Error(`the microphone played ${said.length} sentences`);
  const since = (instant: number) => voices.filter((at) => at >= instant);
  const interrupted = since(interrupts.from);
  return {
    firstWordAt: first('the greeting', voices),
    askedAt: asks.until,
    answeredAt: first('the answer', since(asks.until)),
    interruptedAt: interrupts.from,
    interruptedUntil: interrupts.until,
    silentFrom: first(
      'a silence',
      interrupted.filter((at, nth) => (interrupted[nth + 1] ?? Infinity) - at >= 400),
    ),
    leftAt,
  };
}

function first(what: string, instants: readonly number[]): number {
  const [at] = instants;
  if (at === undefined) throw new Error(`the page did not play ${what}`);
  return at;
}
