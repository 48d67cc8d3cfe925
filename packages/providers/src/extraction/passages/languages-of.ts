import { searchConfigOf } from './detect-language.ts';

/** A text takes its language from its document where it is too short to tell its own. */
const OWN_LANGUAGE_CHARS = 200;
/** Languages change by chapters: only where two samples differ are the texts between them looked at. */
const SAMPLE_EVERY = 4;

/** The text search configuration of each of the texts of a document, in their order. `sample` is a text that tells the document's. */
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
