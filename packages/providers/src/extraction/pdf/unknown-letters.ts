import type { PageItem, PdfPage } from './page-item.ts';

/** Stands for a glyph whose letter the document does not tell. */
export const unknownLetter = '\ufffd';

type IsUnknown = (letter: string) => boolean;

/** Letters of ordinary text. The number of a glyph that is shown as a letter is rarely among them: it is a sign, a capital or of any script. */
const ordinary =
  /[\p{Ll}\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Thai}\p{Script=Hiragana}\p{Script=Katakana}\u4e00-\u9fff\uac00-\ud7a3]/gu;
/** Less text says nothing, and is quickly looked at. */
const fewChars = 60;

/**
 * pdf.js shows the number of a glyph as a letter if the document does not map it to one. Finds the fonts that do not, page by page. Only the
 * instructions that draw a page have its fonts, which takes as long as reading its text. So they are read only for text that looks unusual, and once
 * for each font.
 */
export class UnknownLetters {
  readonly #fonts = new Map<string, IsUnknown>();

  /** The runs of a page, with `unknownLetter` for each letter that the document does not tell. */
  async mark(page: PdfPage, runs: readonly PageItem[]): Promise<PageItem[]> {
    const text = runs
      .map(({ str }) => str)
      .join('')
      .replaceAll(/\s/g, '');
    const isOrdinary = (text.match(ordinary)?.length ?? 0) > text.length / 2;
    if (text === '' || (isOrdinary && text.length > fewChars)) return [...runs];
    const names = new Set(runs.flatMap(({ fontName }) => fontName ?? []));
    if ([...names].some((name) => !this.#fonts.has(name))) await this.#load(page, names);
    return runs.map((run) => {
      const isUnknown = this.#fonts.get(run.fontName ?? '') ?? isNever;
      return {
        ...run,
        str: run.str.replaceAll(/\S/gu, (letter) => (isUnknown(letter) ? unknownLetter : letter)),
      };
    });
  }

  async #load(page: PdfPage, names: ReadonlySet<string>): Promise<void> {
    await page.getOperatorList({ annotationMode: 0 });
    for (const name of names) {
      this.#fonts.set(
        name,
        page.commonObjs.has(name) ? unknownOf(page.commonObjs.get(name) as PdfFont) : isNever,
      );
    }
  }
}

const isNever: IsUnknown = () => false;

/** The fields that we use of pdf.js's `FontFaceObject`, with `fontExtraProperties`. They were copied, so maps have lost their classes. */
interface PdfFont {
  composite?: boolean;
  /** The letter of each code. An `IdentityToUnicodeMap` has no `_map`, and takes codes for letters. */
  toUnicode?: { _map?: ReadonlyArray<string | undefined> };
  /** The names of glyphs by code, where the document names them itself. */
  differences?: ReadonlyArray<string | undefined>;
}

function unknownOf({ composite, toUnicode, differences }: PdfFont): IsUnknown {
  // oxlint-disable-next-line no-underscore-dangle -- the name in pdf.js
  const letters = toUnicode?._map;
  if (composite === true) return letters === undefined ? () => true : isNever;
  return (letter) => {
    const code = letter.codePointAt(0) ?? 0;
    const name = differences?.[code];
    return name !== undefined && name !== '.notdef' && letters?.[code] === undefined;
  };
}
