import { waitFor } from '../stack/wait-for.ts';
import type { SpeechPrograms } from './find-speech.ts';
import type { ChatAnswer } from './model-servers.ts';
import type { FarEnd } from './people.ts';
import { personSays } from './speech.ts';

/** A call of a library to one of its readers: everything that the reader says, and everything that the agent needs for its answers. */
export const libraryCall = {
  greeting: 'Hello, this is Ada from the library.',
  question: 'how long may i keep a book',
  interruption: 'stop please what does it cost',
  goodbye: 'goodbye',
  /** Only here is how long a book may be kept; the model does not know it. */
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

/** What its model reads out of the conversation when it is over. */
export const libraryAfterwards = JSON.stringify({
  summary: libraryCall.summary,
  extract: libraryCall.extract.value,
});

/** What the recognizer of such a call can understand. */
export const libraryPhrases = [
  'hello',
  libraryCall.question,
  libraryCall.interruption,
  libraryCall.goodbye,
] as const;

/** A chat model that knows its lines, and looks up what is in the knowledge base. */
export function libraryLines(words: string, results: readonly string[]): ChatAnswer {
  const passage = results.at(-1);
  if (passage !== undefined) {
    if (!words.includes('how long')) return { say: '' };
    const found = /for (\w+ weeks)/.exec(passage)?.[1] ?? 'a time that I do not know';
    return {
      say: `You may keep a book for ${found}. After that we send you a letter, and another letter, and then one more letter, which is very long. So please bring it back in time.`,
    };
  }
  if (words.includes('how long')) {
    return { tool: 'knowledge_base', input: { question: 'how long a reader may keep a book' } };
  }
  if (words.includes('cost')) return { say: 'It costs two euros.' };
  return { say: 'Thank you, goodbye.', tool: 'end_call', input: {} };
}

/** When what happened at the person's end, by `performance.now()`. */
export interface LibraryInstants {
  firstWordAt: number;
  askedAt: number;
  answeredAt: number;
  interruptedAt: number;
  silentFrom: number;
  leftAt: number;
}

/** The person asks, interrupts the answer, hears the price and says goodbye; the agent hangs up. */
export async function callTheLibrary(person: FarEnd, programs: SpeechPrograms): Promise<LibraryInstants> {
  const { question, interruption, goodbye } = libraryCall;
  const [asks, interrupts, leaves] = await Promise.all(
    [question, interruption, goodbye].map((text) => personSays(programs, text)),
  );
  if (!asks || !interrupts || !leaves) throw new Error('three sentences were to be spoken');
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
  const leftAt = await waitFor('the agent to hang up', () => person.leftAt(), { withinMs: 60_000 });
  return { firstWordAt, askedAt, answeredAt, interruptedAt, silentFrom, leftAt };
}
