import type { XmlHandlers } from './xml-handlers.ts';
import { cellCharactersAtMost } from './table.ts';
import { tooMuchText } from './table-error.ts';

/** The largest size of all texts of a workbook, which are in memory. */
const charactersAtMost = 64 * 1024 * 1024;
/** An empty text takes memory too. */
const charactersOfAText = 8;

/** The texts to which cells refer by number, without formatting and pronunciation. */
export class SharedStrings {
  readonly #strings: string[] = [];
  #characters = 0;

  at(index: number): string {
    return this.#strings[index] ?? '';
  }

  handlers(): XmlHandlers {
    let text = '';
    let inText = false;
    let inPronunciation = false;
    return {
      opentag: (name) => {
        if (name === 'si') text = '';
        if (name === 't') inText = !inPronunciation;
        if (name === 'rPh') inPronunciation = true;
      },
      text: (part) => {
        if (!inText) return;
        this.#count(part.length);
        if (text.length < cellCharactersAtMost) text = (text + part).slice(0, cellCharactersAtMost);
      },
      closetag: (name) => {
        if (name === 't') inText = false;
        if (name === 'rPh') inPronunciation = false;
        if (name !== 'si') return;
        this.#count(charactersOfAText);
        this.#strings.push(decodedText(text));
      },
    };
  }

  #count(characters: number): void {
    this.#characters += characters;
    if (this.#characters > charactersAtMost) {
      throw tooMuchText();
    }
  }
}

/** `_x000D_` stands for a character that XML cannot hold, and `_x005F_` for the underscore before such a text (ECMA-376, part 1, section 22.9.2.19). */
export function decodedText(text: string): string {
  if (!text.includes('_x')) return text;
  return text.replaceAll(/_x([\dA-Fa-f]{4})_/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}
