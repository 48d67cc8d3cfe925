import { format, getFormatDateInfo, getFormatFromId, isDateFormat } from 'numfmt';
import { TableError } from './table-error.ts';
import type { XmlHandlers } from './xml-handlers.ts';

/** Excel has room for 65,490 styles. */
const stylesAtMost = 70_000;
/** Excel's limit for the code of a format. */
const codeCharactersAtMost = 255;
const general = 'General';
/** Days between the two first days of spreadsheets. */
const daysFrom1904 = 1_462;
/** 1 January 1970, in days of a spreadsheet. */
const epochDay = 25_569;
const dayMs = 86_400_000;

/**
 * Dates in the format of the reader's own country, which a workbook does not name: 1/12/2026 is in January or in December. They are
 * written so that they can be read in one way only. The numbers from 27 on are dates and times of East Asia and Thailand, a different one in
 * each language.
 */
function localDate(id: number, value: number): string | undefined {
  const hasOwnDates =
    id === 14 || id === 22 || (id >= 27 && id <= 36) || (id >= 50 && id <= 58) || (id >= 71 && id <= 81);
  if (!hasOwnDates) return undefined;
  if (id !== 14 && value >= 0 && value < 1) return 'hh:mm:ss';
  return id === 14 || Number.isInteger(value) ? 'yyyy-mm-dd' : 'yyyy-mm-dd hh:mm';
}

/** The number formats of a workbook (ECMA-376, part 1, section 18.8), by the styles of cells. */
export class NumberFormats {
  readonly #isFrom1904: boolean;
  readonly #codes = new Map<number, string>();
  readonly #ofStyles: number[] = [];

  constructor(isFrom1904: boolean) {
    this.#isFrom1904 = isFrom1904;
  }

  handlers(): Partial<XmlHandlers> {
    let inCells = false;
    return {
      opentag: (name, attributes) => {
        if (name === 'numFmt') {
          const { numFmtId: id, formatCode: code = '' } = attributes;
          this.#requireFew(this.#codes.size);
          if (code.length <= codeCharactersAtMost) this.#codes.set(Number(id), code);
        }
        if (name === 'cellXfs') inCells = true;
        if (name === 'xf' && inCells) {
          this.#requireFew(this.#ofStyles.length);
          this.#ofStyles.push(Number(attributes['numFmtId'] ?? 0));
        }
      },
      closetag: (name) => {
        if (name === 'cellXfs') inCells = false;
      },
    };
  }

  #requireFew(styles: number): void {
    if (styles >= stylesAtMost) {
      throw new TableError('the workbook has too many styles: save the sheet as CSV');
    }
  }

  /** What a sheet shows for a number, except that digits are never rounded away: a phone number may be in a narrow column. */
  numberText(value: number, style: string | undefined): string {
    const code = this.#codeOf(style, value);
    const isPlain = code === general || code === '@' || /E[+-]/i.test(code);
    if (isPlain && Number.isSafeInteger(value)) return String(value);
    // A date of a workbook from 1904; a duration has no first day.
    const isDay = this.#isFrom1904 && isDateFormat(code) && hasDay(code);
    return formatted(code, value + (isDay ? daysFrom1904 : 0)) ?? String(value);
  }

  /** A date in ISO 8601, of cells with the type `d`. */
  dateText(text: string, style: string | undefined): string {
    const code = this.#codeOf(style, /[T ]/.test(text) ? 1.5 : 1);
    const ms = Date.parse(/[T ]/.test(text) && !/(?:Z|[+-]\d\d:?\d\d)$/.test(text) ? `${text}Z` : text);
    if (!isDateFormat(code) || Number.isNaN(ms)) return text;
    return formatted(code, ms / dayMs + epochDay) ?? text;
  }

  /** Formats may add text to a text, such as `"Dr. "@`. */
  text(value: string, style: string | undefined): string {
    const code = this.#codeOf(style, 1);
    return code.includes('@') && code !== '@' ? (formatted(code, value) ?? value) : value;
  }

  /** @param value of the cell, which decides between a date and a time where the workbook does not say */
  #codeOf(style: string | undefined, value: number): string {
    const id = this.#ofStyles[Number(style ?? 0)] ?? 0;
    const own = this.#codes.get(id) ?? localDate(id, value);
    if (own !== undefined) return own === '' ? general : own;
    return id > 0 && id < 50 ? getFormatFromId(id) : general;
  }
}

function hasDay(code: string): boolean {
  const { year, month, day } = getFormatDateInfo(code);
  return year || month || day;
}

/** Null if the code is invalid. */
function formatted(code: string, value: number | string): string | null {
  try {
    return format(code, value, { throws: true });
  } catch {
    return null;
  }
}
