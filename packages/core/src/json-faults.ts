/** What `JSON.parse` would drop without a word: all but the last of a repeated name, or digits of a number. */
export interface JsonFault {
  readonly kind: 'repeated_name' | 'lost_digits';
  readonly path: ReadonlyArray<string | number>;
}

interface Container {
  /** The names so far; null for a list. */
  readonly names: Set<string> | null;
  at: string | number;
}

/** No number of so few characters, without an exponent, has more digits than a double keeps. */
const exactCharacters = 15;
/** More than the longest number that a double has digits for. */
const charactersAtMost = 1_000;
/** From here on, doubles skip whole numbers, so an id that is kept today would be changed tomorrow. */
const largestWhole = 2 ** 53;

/**
 * Finds the first repeated name of valid JSON or, without one, the first number that loses digits. Slow: for short texts, and
 * for naming a fault that is known to be there.
 */
export function findJsonFault(text: string): JsonFault | null {
  const open: Container[] = [];
  let isName = false;
  let lostDigits: JsonFault | null = null;
  const path = () => open.map(({ at }) => at);
  for (let at = 0; at < text.length;) {
    const character = text.charAt(at);
    const inner = open.at(-1);
    let end = at + 1;
    if (character === '"') {
      end = endOfString(text, at);
      if (isName && inner !== undefined && inner.names !== null) {
        inner.at = String(JSON.parse(text.slice(at, end)));
        if (inner.names.has(inner.at)) return { kind: 'repeated_name', path: path() };
        inner.names.add(inner.at);
        isName = false;
      }
    } else if (character === '{' || character === '[') {
      isName = character === '{';
      open.push(isName ? { names: new Set(), at: '' } : { names: null, at: 0 });
    } else if (character === '}' || character === ']') {
      isName = false;
      open.pop();
    } else if (character === ',') {
      isName = inner?.names != null;
      if (typeof inner?.at === 'number' && inner.names === null) inner.at += 1;
    } else if (isDigit(text.charCodeAt(at))) {
      while (isInNumber(text.charCodeAt(end))) end += 1;
      if (lostDigits === null && losesDigits(text.slice(at, end))) {
        lostDigits = { kind: 'lost_digits', path: path() };
      }
    }
    at = end;
  }
  return lostDigits;
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

export function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** Whether a number goes on with this character: a digit, a sign, the point or the exponent. */
export function isInNumber(code: number): boolean {
  return isDigit(code) || code === 0x2e || code === 0x2d || code === 0x2b || (code | 0x20) === 0x65;
}

/** Whether reading a number of JSON as a double changes its digits. `1.50` is 1.5, but 9007199254740993 would become …992. */
export function losesDigits(number: string): boolean {
  if (number.length <= exactCharacters && !/e/i.test(number)) return false;
  if (number.length > charactersAtMost) return true;
  const value = Number(number);
  if (!Number.isFinite(value)) return true;
  if (/^-?\d+$/.test(number) && Math.abs(value) > largestWhole) return true;
  return digitsOf(number) !== digitsOf(String(value));
}

/** The significant digits with their power of ten, such as `15e-1` for 1.50. */
function digitsOf(number: string): string {
  const [mantissa = '', exponent = '0'] = number.replace('-', '').toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  return `${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
}
