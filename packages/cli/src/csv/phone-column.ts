import {
  faultOfNumber,
  firstLineHolds,
  maskText,
  type Numbering,
  parsePhoneNumber,
  phoneColumns,
} from '@outdial/core';

export function noPhoneColumn(names: readonly string[], numbering: Numbering): string {
  return `the first line has no column ${phoneColumns.join(', ')}; it has ${firstLineHolds(names, numbering)}`;
}

export type ReadPhone = { kind: 'ok'; e164: string } | { kind: 'fault'; message: string };

/** Reads numbers, and reports one that occurred before as a fault. */
export class PhoneReader {
  readonly numbering: Numbering;
  readonly #lines = new Map<string, number>();

  constructor(numbering: Numbering) {
    this.numbering = numbering;
  }

  read(text: string, line: number): ReadPhone {
    const parsed = parsePhoneNumber(text, this.numbering);
    if (parsed.kind === 'invalid') {
      const shown = text.trim() === '' ? '' : ` ("${maskText(text.trim())}")`;
      return { kind: 'fault', message: `${faultOfNumber(parsed, '--')}${shown}` };
    }
    const before = this.#lines.get(parsed.e164);
    if (before !== undefined) return { kind: 'fault', message: `repeats the phone number of line ${before}` };
    this.#lines.set(parsed.e164, line);
    return parsed;
  }
}
