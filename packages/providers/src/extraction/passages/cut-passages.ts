import type { Passage } from '@outdial/core';
import { markWords } from '@outdial/core/mark-words';
import { franc } from 'franc';

/** The size of a passage: short enough to be read out on a call, long enough for an answer with its context. */
const targetChars = 600;
const maxChars = 1_000;
/**
 * Cuts pages into passages. Short paragraphs are joined, and long ones are cut at the ends of sentences. A passage never spans two pages, so that its
 * page can be cited.
 */
export function cutPassages(pages: readonly string[]): Passage[] {
  const stretches = pages.flatMap((page, at) =>
    inStretches(cutPage(page)).map((texts) => ({ page: at + 1, texts })),
  );
  const configs = languagesOf(
    stretches.map(({ texts }) => texts.join('\n')),
    () => sample(pages),
  );
  return stretches.flatMap(({ page, texts }, at) =>
    texts.map((text) => ({
      page,
      text,
      searchConfig: configs[at] ?? 'simple',
      searchText: searchTextOf(text),
    })),
  );
}

/** The language is detected for each stretch of this many passages. A page of a book is one stretch, a text file without pages has many. */
const passagesInStretch = 8;

function inStretches(passages: readonly string[]): string[][] {
  const stretches: string[][] = [];
  for (let from = 0; from < passages.length; from += passagesInStretch) {
    stretches.push(passages.slice(from, from + passagesInStretch));
  }
  return stretches;
}

/** Removes angle brackets, because Postgres takes text between them for a tag and does not index it. */
function searchTextOf(text: string): string | null {
  const bare = text.replaceAll(/[<>]/g, ' ');
  return markWords(bare) ?? (bare === text ? null : bare);
}

/** Samples a few places of the document, because a title page tells little about the language. */
function sample(pages: readonly string[]): string {
  const places = [0, 0.25, 0.5, 0.75].map((part) => pages[Math.floor(pages.length * part)] ?? '');
  return places.map((page) => page.slice(0, 150)).join('\n');
}

function cutPage(page: string): string[] {
  const passages: string[] = [];
  let open = '';
  for (const piece of pieces(page)) {
    if (open !== '' && open.length + piece.text.length > targetChars) {
      passages.push(open);
      open = '';
    }
    open = open === '' ? piece.text : open + piece.before + piece.text;
  }
  if (open !== '') passages.push(open);
  return passages.map((passage) => passage.trim()).filter((passage) => /[\p{L}\p{N}]/u.test(passage));
}

interface Piece {
  /** The separator from the previous one. */
  before: string;
  text: string;
}

function* pieces(page: string): Generator<Piece> {
  for (const paragraph of page.split(/\n{2,}/)) {
    let before = '\n\n';
    for (const line of paragraph.length <= maxChars ? [paragraph] : paragraph.split('\n')) {
      for (const text of line.length <= maxChars ? [line] : sentences(line)) {
        if (text.trim() !== '') yield { before, text };
        before = ' ';
      }
      before = '\n';
    }
  }
}

const segmenter = new Intl.Segmenter('und', { granularity: 'sentence' });

function* sentences(text: string): Generator<string> {
  for (const { segment } of segmenter.segment(text)) {
    const sentence = segment.trim();
    // The text may be an endless sentence, or no sentence at all.
    for (let rest = sentence; rest !== '';) {
      const cut = rest.length <= maxChars ? rest.length : cutBefore(rest, maxChars);
      yield rest.slice(0, cut).trim();
      rest = rest.slice(cut).trim();
    }
  }
}

/** Cuts at the last space before `at`, or else at `at`, but never within a surrogate pair. */
function cutBefore(text: string, at: number): number {
  const space = text.lastIndexOf(' ', at);
  if (space > at / 2) return space;
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}

/** A shorter text uses the language of its document. */
const ownLanguageChars = 200;
/** Languages change by chapter, so every fourth text is checked. The texts in between are checked only if their neighbors differ. */
const sampleEvery = 4;

/**
 * Returns the text search configuration of each text of a document, in order.
 * @param sample returns a text that shows the language of the whole document
 */
function languagesOf(texts: readonly string[], sample: () => string): string[] {
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

/** Postgres's text search configurations by ISO 639-3 language code. */
const configs: Record<string, string> = {
  arb: 'arabic',
  hye: 'armenian',
  eus: 'basque',
  cat: 'catalan',
  dan: 'danish',
  nld: 'dutch',
  eng: 'english',
  ekk: 'estonian',
  est: 'estonian',
  fin: 'finnish',
  fra: 'french',
  deu: 'german',
  ell: 'greek',
  hin: 'hindi',
  hun: 'hungarian',
  ind: 'indonesian',
  gle: 'irish',
  ita: 'italian',
  lit: 'lithuanian',
  npi: 'nepali',
  nob: 'norwegian',
  nno: 'norwegian',
  por: 'portuguese',
  ron: 'romanian',
  rus: 'russian',
  srp: 'serbian',
  spa: 'spanish',
  swe: 'swedish',
  tam: 'tamil',
  tur: 'turkish',
  ydd: 'yiddish',
};

/** Languages without a configuration that are easily confused with one that has it. */
const others = [
  'pol',
  'ces',
  'slk',
  'ukr',
  'bul',
  'bel',
  'pes',
  'urd',
  'heb',
  'vie',
  'hrv',
  'slv',
  'cmn',
  'jpn',
  'kor',
  'tha',
];
const known = [...Object.keys(configs), ...others];

/** The language of a shorter sample would be a guess. */
const minChars = 40;
const sampleChars = 600;

/** The text search configuration for a text; `simple` if none fits or the text is too short. */
function searchConfigOf(text: string): string {
  const code = franc(text.slice(0, sampleChars), { minLength: minChars, only: known });
  return configs[code] ?? 'simple';
}
