import { isDigit, isInNumber, losesDigits } from '@outdial/core';

/** How much structure a JSON text may have. Its size in bytes is not enough: `[[],[],…]` takes a hundred times its size in memory. */
export interface StructureLimits {
  /** Arrays and objects. */
  readonly containers: number;
  /** Elements and members, including containers. */
  readonly values: number;
  readonly depth: number;
}

export type StructureFault = 'too_many_values' | 'too_deep';

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** Longer ones have no meaning as a number; their text is kept no further. */
const numberCharactersAtMost = 1_001;

/**
 * Counts the structure of a JSON text byte by byte while it arrives, so that a text that would overload the parser is refused early. It
 * does not check whether the text is valid JSON; the parser does.
 */
export class JsonStructure {
  readonly #limits: StructureLimits;
  #inString = false;
  #escaped = false;
  #depth = 0;
  #containers = 0;
  #values = 1;
  #members = 0;
  /** The number that is being read; null outside of one. */
  #number: string | null = null;
  #hasRoundedNumber = false;
  /** In all chunks so far. */
  #length = 0;
  #stringAt = 0;
  #topKey: { start: number; end: number } | null = null;

  constructor(limits: StructureLimits) {
    this.#limits = limits;
  }

  /** The position of the last string directly in the outermost value, with its quotes: the member that has the fault. */
  get topKey(): { start: number; end: number } | null {
    return this.#topKey;
  }

  /** Names of objects, repeated ones included: more than the parsed value has members if one is repeated. */
  get members(): number {
    return this.#members;
  }

  /** Whether a number, up to the end of the last chunk, has more digits than a double keeps. */
  get hasRoundedNumber(): boolean {
    return this.#hasRoundedNumber;
  }

  scan(chunk: Uint8Array): StructureFault | null {
    let at = 0;
    while (at < chunk.length) {
      if (this.#inString) {
        at = this.#passString(chunk, at);
        continue;
      }
      const byte = chunk[at] ?? 0;
      if (this.#number !== null || isDigit(byte)) {
        at = this.#passNumber(chunk, at);
        continue;
      }
      switch (byte) {
        case quote:
          this.#inString = true;
          this.#stringAt = this.#length + at;
          break;
        case comma:
          this.#values += 1;
          break;
        case colon:
          this.#members += 1;
          break;
        case openBracket:
        case openBrace:
          this.#containers += 1;
          this.#depth += 1;
          // Limits are checked when structure opens. The sum below covers commas.
          if (this.#depth > this.#limits.depth) return 'too_deep';
          break;
        case closeBracket:
        case closeBrace:
          this.#depth -= 1;
          break;
        default:
      }
      at += 1;
    }
    this.#length += chunk.length;
    const { containers, values } = this.#limits;
    return this.#containers > containers || this.#values + this.#containers > values
      ? 'too_many_values'
      : null;
  }

  /** Returns the position after the string's end, or the end of the chunk. */
  #passString(chunk: Uint8Array, from: number): number {
    for (let at = from; at < chunk.length; at += 1) {
      if (this.#escaped) this.#escaped = false;
      else if (chunk[at] === backslash) this.#escaped = true;
      else if (chunk[at] === quote) {
        this.#inString = false;
        if (this.#depth === 1) this.#topKey = { start: this.#stringAt, end: this.#length + at + 1 };
        return at + 1;
      }
    }
    return chunk.length;
  }

  /** Returns the position after the number's last digit, or the end of the chunk. */
  #passNumber(chunk: Uint8Array, from: number): number {
    let end = from;
    let text = this.#number ?? '';
    for (; end < chunk.length && isInNumber(chunk[end] ?? 0); end += 1) {
      if (text.length < numberCharactersAtMost) text += String.fromCharCode(chunk[end] ?? 0);
    }
    if (end === chunk.length) this.#number = text;
    else {
      this.#number = null;
      this.#hasRoundedNumber ||= losesDigits(text);
    }
    return end;
  }
}
