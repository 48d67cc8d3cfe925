import { setTimeout as delay } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { serveModels, speechRate, type ChatAnswer } from './model-servers.ts';
import { tone } from './speech.ts';

/** Models for tests without real speech: speech is a tone for each word, and the recognizer returns the next item of `hears`. */
export async function startToneModels({
  hears = [],
  answers = () => ({ say: 'Well.' }),
  thinkMs = 0,
  wordMs = 60,
  isDown,
}: {
  hears?: readonly string[];
  answers?: (words: string) => ChatAnswer;
  /** The delay of the chat model. */
  thinkMs?: number;
  wordMs?: number;
  /** While it returns true, requests of the kind are answered with 500. */
  isDown?: Parameters<typeof serveModels>[0]['isDown'];
}): Promise<{ url: string }> {
  const heard = [...hears];
  const { url, close } = await serveModels({
    hears: () => heard.shift() ?? '',
    speaks: (text) => tone(300, text.split(' ').length * wordMs, speechRate),
    async answer(words, results) {
      await delay(thinkMs);
      return results.length > 0 ? { say: '' } : answers(words);
    },
    isDown,
  });
  onTestFinished(close);
  return { url };
}
