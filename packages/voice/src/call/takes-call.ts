import { isMailboxText, isScreeningText, isUnusedNumberText } from '../machine/machine-words.ts';
import { wordsOf } from '../turn/words.ts';

/** How long the target may be silent after the question. */
const silentMs = 5_000;
/** How often the target is asked. */
const asksAtMost = 2;
/** No longer is a person kept on hold. */
const longestMs = 60_000;
/** A longer sentence is no answer to the question. */
const wordsAtMost = 6;

const yes = new Set(
  'yes yeah yep yup sure okay ok ready please go ahead put them him her through connect me i take it ja gerne klar bitte sí si claro dale oui bien sûr sim'.split(
    ' ',
  ),
);
/** Words that mean yes by themselves. */
const clearYes =
  /\b(yes|yeah|yep|yup|sure|okay|ok|go ahead|put (them|him|her) through|ja|gerne|klar|sí|si|claro|oui|sim)\b/u;
const no = /^(no|nope|nein|non|não|not now|i'm busy|later|nicht jetzt|ahora no|pas maintenant)\b/u;

export type TakesCall = 'takes' | 'refuses' | 'ask_again';

/**
 * Whether the target of a transfer takes the call: they press 1, or say yes after they were asked. People pick up with "yes?", and mailboxes talk on, so words from
 * before the question take nothing.
 */
export function createTakesCall(beganAt: number) {
  let askedAt: number | null = null;
  let asks = 0;
  let quietSince = beganAt;

  function askAgain(): TakesCall {
    if (asks >= asksAtMost) return 'refuses';
    askedAt = null;
    return 'ask_again';
  }

  return {
    /** All of the question was heard. */
    asked(at: number): void {
      if (askedAt !== null) return;
      askedAt = at;
      asks += 1;
      quietSince = at;
    },
    voice(at: number): void {
      quietSince = at;
    },
    key(digit: string): TakesCall | null {
      if (digit === '1') return 'takes';
      return digit === '2' || digit === '*' || digit === '#' ? 'refuses' : null;
    },
    /** @param endedAt when the words ended */
    said(text: string, endedAt: number): TakesCall | null {
      if (isMailboxText(text) || isScreeningText(text) || isUnusedNumberText(text)) return 'refuses';
      if (askedAt === null || endedAt < askedAt) return null;
      const words = wordsOf(text);
      const plain = words.join(' ');
      if (no.test(plain)) return 'refuses';
      const isYes =
        words.length <= wordsAtMost && words.every((word) => yes.has(word)) && clearYes.test(plain);
      return isYes ? 'takes' : askAgain();
    },
    tick(at: number): TakesCall | null {
      if (at - beganAt >= longestMs) return 'refuses';
      return askedAt !== null && at - quietSince >= silentMs ? askAgain() : null;
    },
  };
}
