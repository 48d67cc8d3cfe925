import { unifyRadicals } from './radicals.ts';

/** Unicode's own bound for text that is processed as a stream (UAX #15, section 13); no language stacks as many marks. */
const tooManyMarks = /\p{M}(?<=\p{M}{31})/gu;

/**
 * Normalizes extracted text: NFC, lines ended by `\n`, only valid characters. Ligatures that only
 * a typesetter needs are written out, so that `office` is found as it is typed.
 */
export function cleanText(text: string): string {
  return (
    unifyRadicals(text)
      .toWellFormed()
      .replace(/\r\n?|\u0085|\u2028|\u2029/g, '\n')
      .replace(/\v/g, '\n')
      // Presentation forms: Latin and Armenian ligatures, Hebrew and Arabic shapes, fullwidth stays as it is.
      .replace(/[\ufb00-\ufb4f\ufb50-\ufdcf\ufdf0-\ufdfb\ufe70-\ufefc]+/g, (shapes) =>
        shapes.normalize('NFKC'),
      )
      // Thai and Lao AM, which many fonts draw as two glyphs, and some producers name wrongly.
      .replace(/\u0e4d([\u0e48-\u0e4b]?)\u0e32| ?\u0e32\u0e33 ?|\u0e33\u0e32/g, '$1\u0e33')
      .replace(/\u0ecd([\u0ec8-\u0ecb]?)\u0eb2/g, '$1\u0eb3')
      // Soft hyphens, zero width spaces, marks of text direction, byte order marks. Joiners mean something in
      // Persian and in Indic scripts, and stay.
      .replace(/[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g, '')
      .replace(/[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/g, ' ')
      // Control characters, but tab, line end and form feed; noncharacters.
      // oxlint-disable-next-line no-control-regex -- they are what is looked for
      .replace(/[\u0000-\u0008\u000e-\u001f\u007f-\u009f\ufdd0-\ufdef\ufffe\uffff]/g, '')
      // Looked at from the beginning of each run of blanks only, since most runs end in a word.
      .replace(/(?<![ \t])[ \t]+\n/g, '\n')
      .replace(/\n{3,}/g, '\n\n')
      // Ordering the marks of one letter takes time by the square of their number.
      .replace(tooManyMarks, '')
      .normalize('NFC')
  );
}
