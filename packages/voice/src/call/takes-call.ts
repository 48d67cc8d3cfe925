import { isMailboxText, isScreeningText, isUnusedNumberText } from '../machine/machine-words.ts';
import { wordsOf } from '../turn/words.ts';

/** How long the target may be silent after the question. */
const silentMs = 5_000;
/** How often the target is asked. */
const asksAtMost = 2;
/** No longer is a person kept on hold. */
const longestMs = 60_000;
/** "Sure, put her through": yes, and words that may stand beside it. */
const clearYes =
  /(?<!\p{L})(yes|yeah|yep|yup|sure|okay|ok|absolutely|of course|go ahead|i'm ready|i'll take (it|them|the call)|(put|connect) (it|them|him|her|me)( through)?|ja|gerne|klar|natürlich|sí|si|claro|oui|bien sûr|sim)(?!\p{L})/gu;
const besideYes = new Set(
  "please thanks thank you that's fine good i'm here the call now to bitte danke gracias merci".split(' '),
);
const no =
  /^(no|nope|nein|non|não)(?!\p{L})|\b(not (now|available)|can't|cannot|busy|later|nicht jetzt|keine zeit|ahora no|pas maintenant)\b/u;

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
    /** The question begins. Who knows it answers before its end. */
    asks(at: number): void {
      askedAt = at;
      asks += 1;
    },
    /** Somebody speaks: the target, or the agent. */
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
      const plain = wordsOf(text).join(' ');
      if (no.test(plain)) return 'refuses';
      const others = wordsOf(plain.replace(clearYes, ' '));
      const isYes = plain.search(clearYes) >= 0 && others.every((word) => besideYes.has(word));
      return isYes ? 'takes' : askAgain();
    },
    tick(at: number): TakesCall | null {
      if (at - beganAt >= longestMs) return 'refuses';
      return askedAt !== null && at - quietSince >= silentMs ? askAgain() : null;
    },
  };
}
