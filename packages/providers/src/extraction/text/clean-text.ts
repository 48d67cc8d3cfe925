import { unifyRadicals } from './radicals.ts';

/** Unicode's own limit for streamed text (UAX #15, section 13). No language stacks as many marks. */
const tooManyMarks = /\p{M}(?<=\p{M}{31})/gu;

/**
 * Normalizes extracted text: NFC, `\n` as line end, only valid characters. Typographic ligatures are expanded, so that a search for `office` finds them.
 */
export function cleanText(text: string): string {
  return (
    unifyRadicals(text)
      .toWellFormed()
      .replace(/\r\n?|\u0085|\u2028|\u2029/g, '\n')
      .replace(/\v/g, '\n')
      // Presentation forms: Latin and Armenian ligatures, Hebrew and Arabic shapes. Fullwidth forms stay as they are.
      .replace(/[\ufb00-\ufb4f\ufb50-\ufdcf\ufdf0-\ufdfb\ufe70-\ufefc]+/g, (shapes) =>
        shapes.normalize('NFKC'),
      )
      // Thai and Lao AM, which many fonts draw as two glyphs, and some producers encode wrongly.
      .replace(/\u0e4d([\u0e48-\u0e4b]?)\u0e32| ?\u0e32\u0e33 ?|\u0e33\u0e32/g, '$1\u0e33')
      .replace(/\u0ecd([\u0ec8-\u0ecb]?)\u0eb2/g, '$1\u0eb3')
      // Soft hyphens, zero-width spaces, direction marks, byte order marks. Joiners stay, because Persian and Indic scripts need them.
      .replace(/[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g, '')
      .replace(/[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/g, ' ')
      // Control characters except tab, line end and form feed; noncharacters.
      // oxlint-disable-next-line no-control-regex -- they are to be removed
      .replace(/[\u0000-\u0008\u000e-\u001f\u007f-\u009f\ufdd0-\ufdef\ufffe\uffff]/g, '')
      // Matches only at the start of a run of blanks. Otherwise a long run without a line end would take quadratic time.
      .replace(/(?<![ \t])[ \t]+\n/g, '\n')
      .replace(/\n{3,}/g, '\n\n')
      // Normalization takes quadratic time in the number of marks on one letter.
      .replace(tooManyMarks, '')
      .normalize('NFC')
  );
}
