import { searchConfigOf } from './detect-language.ts';

/** A shorter text uses the language of its document. */
const ownLanguageChars = 200;
/** Languages change by chapter, so every fourth text is checked. The texts in between are checked only if their neighbors differ. */
const sampleEvery = 4;

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
    const own = text.length >= ownLanguageChars ? searchConfigOf(text) : 'simple';
    const config = own === 'simple' ? (documentConfig ??= searchConfigOf(sample())) : own;
    known.set(at, config);
    return config;
  };
  return texts.map((_, at) => {
    const left = at - (at % sampleEvery);
    const right = Math.min(left + sampleEvery, texts.length - 1);
    return look(left) === look(right) ? look(left) : look(at);
  });
}
