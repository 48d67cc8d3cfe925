import { splitWords } from '../split-words.ts';
import type { TurnRecord } from '../turn/turn-messages.ts';

/** A person who does not let the agent say it three times will not listen. */
const timesAtMost = 3;

/**
 * Follows whether the person has heard the text that the law asks for.
 * @param disclosure null if it asks for none
 */
export function createDisclosure(disclosure: string | null) {
  let isHeard = disclosure === null;
  let times = 1;
  return {
    isHeard: () => isHeard,
    /** Takes a turn, of which the agent's have only the words that were heard. */
    turn({ role, text }: Pick<TurnRecord, 'role' | 'text'>) {
      isHeard ||= role === 'agent' && saysDisclosure(text, disclosure);
    },
    /** What the next answer must begin with, or null. `none_left`: it was interrupted too often, and the call must end. */
    next(): { text: string } | 'none_left' | null {
      if (isHeard || disclosure === null) return null;
      times += 1;
      return times > timesAtMost ? 'none_left' : { text: disclosure };
    },
  };
}

/** Whether a turn of the agent has all of a disclosure. It is said first. */
export const saysDisclosure = (text: string, disclosure: string | null): boolean =>
  disclosure !== null && plain(text).startsWith(plain(disclosure));

const plain = (text: string): string => text.trim().split(/\s+/).join(' ');

/** A disclosure, and what follows it in the rest of a greeting that was stopped within the disclosure. */
export function withWhole(disclosure: string, rest: string): string {
  const [whole, left] = [splitWords(disclosure), splitWords(rest)];
  const told = left.findLastIndex(
    (_, nth) => whole.slice(-nth - 1).join(' ') === left.slice(0, nth + 1).join(' '),
  );
  return [...whole, ...left.slice(told + 1)].join(' ');
}
