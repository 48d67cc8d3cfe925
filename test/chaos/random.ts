/** A source of random numbers; a seed repeats them. */
export interface Random {
  /** From 0 up to, but not including, 1. */
  next(): number;
  /** A whole number of `least` to `most`, both included. */
  between(least: number, most: number): number;
  pick<T>(items: readonly [T, ...T[]]): T;
  chance(probability: number): boolean;
}

/** mulberry32: small, and good enough to choose faults. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    next,
    between: (least, most) => least + Math.floor(next() * (most - least + 1)),
    pick: (items) => items[Math.floor(next() * items.length)] ?? items[0],
    chance: (probability) => next() < probability,
  };
}

/**
 * Random values that depend on the subject and not on the order of requests, so that a number has the same outcomes in each run of a seed, however
 * its calls interleave (FNV-1a).
 */
export function randomOf(seed: number, about: string): Random {
  let hash = 0x811c9dc5 ^ seed;
  for (const character of about) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return createRandom(hash);
}
