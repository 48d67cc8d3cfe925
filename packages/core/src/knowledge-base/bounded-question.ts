import { unspacedParts } from './mark-words.ts';

/** The number of words of a question that are searched. A longer one is a text, whose first words show its topic. */
const wordsAtMost = 48;

// A phrase in quotes, with or without its exclusion, or text between spaces.
const token = /-?"[^"]*"|\S+/g;
const word = /[\p{L}\p{N}\p{M}]+/gu;

/**
 * A question with each word and phrase once, at its first position, cut after the maximum number of words. The cost of a search grows with the number
 * of words, and a repeated word adds nothing.
 */
export function boundedQuestion(question: string): string {
  return cutOff([...new Set(question.match(token) ?? [])].join(' '));
}

function cutOff(question: string): string {
  let left = wordsAtMost;
  for (const { 0: run, index } of question.matchAll(word)) {
    // Scripts without spaces are searched by their pairs of letters.
    const parts = unspacedParts(run);
    const cost = parts.length === 0 ? 1 : run.length;
    if (cost > left) {
      const kept = parts.length === 0 ? '' : run.slice(0, left).toWellFormed();
      return question.slice(0, index) + kept;
    }
    left -= cost;
  }
  return question;
}
