import { waitFor } from '../stack/wait-for.ts';
import type { SpeechPrograms } from './find-speech.ts';
import type { ChatAnswer } from './model-servers.ts';
import type { FarEnd } from './people.ts';
import { personSays } from './speech.ts';

/** The script of a call from a library to one of its readers: the reader's sentences, and the data for the agent's answers. */
export const libraryCall = {
  greeting: 'Hello, this is Ada from the library.',
  question: 'how long may i keep a book',
  interruption: 'stop please what does it cost',
  goodbye: 'goodbye',
  /** Long enough to be interrupted on a machine that is busy with something else. */
  answer: (weeks: string) =>
    `You may keep a book for ${weeks}. After that we send you a letter, and another letter, and then one more letter, which is very long. So please bring it back in time.`,
  /** Only the knowledge base has the lending period; the model does not know it. */
  knowledge: { name: 'House rules', text: 'Every reader may keep a book for three weeks.' },
  extract: {
    schema: {
      type: 'object',
      properties: { weeks: { type: 'integer' }, asked_for_price: { type: 'boolean' } },
      required: ['weeks', 'asked_for_price'],
    },
    value: { weeks: 3, asked_for_price: true },
  },
  summary: 'The reader asked how long a book may be kept, and what it costs.',
};

/** `config.voice` of the library's agent, apart from the mode. */
export const libraryVoice = {
  greeting: libraryCall.greeting,
  extract: { schema: libraryCall.extract.schema },
};

/** The data that the model extracts from the finished conversation. */
export const libraryAfterwards = JSON.stringify({
  summary: libraryCall.summary,
  extract: libraryCall.extract.value,
});

/** The phrases that the recognizer of such a call knows. */
export const libraryPhrases = [
  'hello',
  libraryCall.question,
  libraryCall.interruption,
  libraryCall.goodbye,
] as const;

/** A scripted chat model that searches the knowledge base. */
export function libraryLines(words: string, results: readonly string[]): ChatAnswer {
  const passage = results.at(-1);
  if (passage !== undefined) {
    if (!words.includes('how long')) return { say: '' };
    const found = /for (\w+ weeks)/.exec(passage)?.[1] ?? 'a time that I do not know';
    return { say: libraryCall.answer(found) };
  }
  if (words.includes('how long')) {
    return { tool: 'knowledge_base', input: { question: 'how long a reader may keep a book' } };
  }
  if (words.includes('cost')) return { say: 'It costs two euros.' };
  return { say: 'Thank you, goodbye.', tool: 'end_call', input: {} };
}

/** The instants of the events at the person's end, by `performance.now()`. */
export interface LibraryInstants {
  firstWordAt: number;
  askedAt: number;
  answeredAt: number;
  interruptedAt: number;
  interruptedUntil: number;
  silentFrom: number;
  leftAt: number;
}

/** Plays the person, who asks, interrupts the answer, hears the price and says goodbye. The agent hangs up. */
export async function callTheLibrary(person: FarEnd, programs: SpeechPrograms): Promise<LibraryInstants> {
  const { question, interruption, goodbye } = libraryCall;
  const [asks, interrupts, leaves] = await Promise.all(
    [question, interruption, goodbye].map((text) => personSays(programs, text)),
  );
  if (!asks || !interrupts || !leaves) throw new Error('the call needs three sentences');
  const firstWordAt = await person.hearsVoice(0);
  await person.hearsSilence(800);

  await person.say(asks);
  const askedAt = performance.now();
  const answeredAt = await person.hearsVoice(askedAt);
  await person.hearsVoice(answeredAt + 3_000);
  const interruptedAt = performance.now();
  const interrupting = person.say(interrupts);
  const silentFrom = await person.hearsSilence(400, interruptedAt);
  await interrupting;
  const interruptedUntil = performance.now();
  await person.hearsVoice(interruptedUntil);
  await person.hearsSilence(800, interruptedUntil);

  await person.say(leaves);
  const leftAt = await waitFor('the agent to hang up', () => person.leftAt());
  return { firstWordAt, askedAt, answeredAt, interruptedAt, interruptedUntil, silentFrom, leftAt };
}
