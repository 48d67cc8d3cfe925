import { franc } from 'franc';

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
export function searchConfigOf(text: string): string {
  const code = franc(text.slice(0, sampleChars), { minLength: minChars, only: known });
  return configs[code] ?? 'simple';
}
