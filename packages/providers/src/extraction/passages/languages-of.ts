import { searchConfigOf } from './detect-language.ts';

/** A shorter text uses the language of its document. */
const OWN_LANGUAGE_CHARS = 200;
/** Languages change by chapter, so every fourth text is checked. The texts in between are checked only if their neighbors differ. */
const SAMPLE_EVERY = 4;

/**
 * Returns the text search configuration of each text of a document, in order.
 * @param sample returns a text that shows the language of the whole document
 */
export function languagesOf(texts: readonly string[], sample: () => string): string[] {
  let documentConfig: string | undefined;
  const known = new Map<number, string>();
  const look = (at: number): string => {
    const before = known.get(at);
    if (before !== undefined) return before;
    const text = texts[at] ?? '';
    const own = text.length >= OWN_LANGUAGE_CHARS ? searchConfigOf(text) : 'simple';
    const config = own === 'simple' ? (documentConfig ??= searchConfigOf(sample())) : own;
    known.set(at, config);
    return config;
  };
  return texts.map((_, at) => {
    const left = at - (at % SAMPLE_EVERY);
    const right = Math.min(left + SAMPLE_EVERY, texts.length - 1);
    return look(left) === look(right) ? look(left) : look(at);
  });
}
