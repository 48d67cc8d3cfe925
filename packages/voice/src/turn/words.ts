import { asksForNoMoreCalls } from './opt-out-words.ts';

/** Classifies the person's words without a model, which would take too long. */

const backChannels = new Set(
  (
    'ok okay yeah yes yep yup right sure mhm mm hmm hm uh huh aha ah oh i see alright fine good great got it go on' +
    ' ja genau gut klar aha verstehe si sí claro vale oui bien sim certo'
  ).split(' '),
);

const greetings = new Set(
  (
    'hello hi hey yes yeah hallo ja hola sí si bueno diga allo oui alô oi good morning afternoon evening who is this speaking' +
    " who's there this is"
  ).split(' '),
);

/** No sentence ends with one of these. */
const openEnds = new Set(
  (
    'and or but so because if when that which who the a an my your his her our their to of for with in on at from by is are was' +
    ' um uh er und oder aber weil wenn dass der die das ein eine mein y o pero porque que el la un una mi'
  ).split(' '),
);

export function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? [];
}

/** "Okay", "uh-huh": the person listens and does not want to speak. */
export function isBackChannel(text: string): boolean {
  const words = wordsOf(text);
  return words.every((word) => backChannels.has(word));
}

/** A greeting that people use when they pick up. */
export function isGreeting(text: string): boolean {
  const words = wordsOf(text);
  return words.length <= 6 && words.every((word) => greetings.has(word));
}

/** Said alone or first, these mean that the agent should be silent. */
const stopWords =
  /^(oh |okay |ok |hey |hello |please |no |nein |non |não )*(stop|stopp|no|don't|do not|not interested|i'm not interested|wait|hold on|quit|enough|shut up|go away|leave me alone|hang up|what|who are you|nein|halt|warten sie|moment|hören sie auf|kein interesse|basta|espere|pare|no me interesa|arrêtez|non|attendez|não|chega)( |$)/;

/** "Stop", "no, wait": the person does not want to hear more. */
export function asksToStop(text: string): boolean {
  return stopWords.test(wordsOf(text).join(' ')) || asksForNoMoreCalls(text);
}

/** The text ends in a comma, a dash, or a word that cannot end a sentence. */
export function isUnfinished(text: string): boolean {
  const trimmed = text.trim();
  if (/[,:;–—-]$/.test(trimmed) || /(\.\.\.|…)$/.test(trimmed)) return true;
  // The recognizer's punctuation tells more than the last word.
  if (/[.!?]$/.test(trimmed)) return false;
  const last = wordsOf(trimmed).at(-1);
  return last !== undefined && openEnds.has(last);
}
