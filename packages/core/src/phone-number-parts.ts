import type { PhoneNumber } from 'libphonenumber-js/max';

/** A text with a phone number and further digits, which belong to a second number or are an extension. */
export interface NumberParts {
  left: string;
  right: string;
  kind: 'second_number' | 'extension';
}

/** The library reads no longer text. */
const charactersAtMost = 250;
const digitsAtLeast = 4;
/** Of an international prefix and the longest number of E.164. */
const digitsAtMost = 20;

/** What may stand within one number is between the alternatives: it separates two only if the text before it is a number of its own. */
const separators =
  /(?<words>[^\d\s+()[\].\-‐‑–—−/\\~～／（）．]+|[\t\n\r])|(?<marks>[/\\~～／(（[])|(?<plus>\+)|(?<tail>\s*[-–—−.]\s*(?=\d{1,2}$))|(?<gap>[\s\-–—]+(?=[0+]))/gu;

/** Such as `a, b`, `a or b`, `a und b`. Other words and signs are taken as those of an extension, such as `x`, `#` and `Durchwahl`. */
const second = /^(?:[,;|&\t\n\r]|\p{P}*(?:or|and|oder|und|bzw|ou|et|o|y|e|of|en|lub|i|или|и)\p{P}*)$/iu;

/** Splits a text after the first number in it, if further digits follow. Null if the text is one number, or none. */
export function partsOf(text: string, read: (part: string) => PhoneNumber | undefined): NumberParts | null {
  if (text.length > charactersAtMost || /^\+?\d*$/.test(text)) return null;
  let isOneNumber: boolean | undefined;
  const known = new Map<string, PhoneNumber | undefined>();
  // Between the same digits, many signs may follow each other, and reading takes the time of a thousand comparisons.
  const readOnce = (part: string) => {
    if (!known.has(part)) known.set(part, read(part));
    return known.get(part);
  };
  for (const { index, groups = {}, 0: found } of text.matchAll(separators)) {
    const { words, plus, gap, tail } = groups;
    const left = text.slice(0, index).trim();
    const right = text.slice(plus === undefined ? index + found.length : index).replace(/^[^\d+]+/, '');
    const digits = left.replaceAll(/\D/g, '').length;
    if (digits > digitsAtMost) return null;
    if (digits < digitsAtLeast || !/\d/.test(right)) continue;
    const number = readOnce(left.replace(/\D+$/, ''));
    if (number?.isPossible() !== true) continue;
    if (tail !== undefined && (!number.isValid() || isRestOfLandline(number, readOnce(text)))) continue;
    if (words === undefined && plus === undefined) {
      isOneNumber ??= readOnce(text)?.isPossible() === true;
      if (isOneNumber && !number.isValid()) continue;
      if (gap !== undefined && readOnce(right)?.isPossible() !== true) continue;
    }
    const kind = words === undefined || second.test(words) ? 'second_number' : 'extension';
    return { left, right, kind };
  }
  return null;
}

/** Of a landline, `-52` may be the rest of its number (DIN 5008). A mobile number has no such rest. */
function isRestOfLandline(number: PhoneNumber, whole: PhoneNumber | undefined): boolean {
  return number.getType() === 'FIXED_LINE' && whole?.isValid() === true;
}
