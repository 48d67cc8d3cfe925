/** Zero crossings of the filter on each side: enough for speech, for a quarter of a percent of a core per call. */
const crossings = 8;
/** The number of positions between two samples with their own filter. */
const fractions = 1_024;

/** Input samples on each side of an output sample. So much silence at the end of a stream brings out the rest. */
export function reachOf(from: number, to: number): number {
  return Math.ceil(crossings / Math.min(1, to / from));
}

/**
 * Changes the rate of a stream with a windowed sinc, block by block, without clicks in between. When it lowers the rate, it also removes
 * frequencies that the lower rate cannot represent; left in, they would sound like a rasp.
 */
export function createResampler(from: number, to: number): (block: Float32Array) => Float32Array {
  const scale = Math.min(1, to / from);
  const reach = reachOf(from, to);
  const step = from / to;
  const filters = new Map<number, Float32Array>();
  let held = new Float32Array(reach);
  /** How many samples were dropped from the front of `held`. */
  let dropped = 0;
  let made = 0;

  function filterAt(fraction: number): Float32Array {
    const key = Math.round(fraction * fractions);
    const before = filters.get(key);
    if (before !== undefined) return before;
    const filter = filterOf(key / fractions, reach, scale);
    filters.set(key, filter);
    return filter;
  }

  return (block) => {
    const all = new Float32Array(held.length + block.length);
    all.set(held);
    all.set(block, held.length);
    const end = Math.max(made, Math.ceil((dropped + all.length - 2 * reach) / step));
    const out = new Float32Array(end - made);
    for (let index = 0; index < out.length; index += 1, made += 1) {
      // Each position is computed from the start: sums of fractions would depend on how the input is cut.
      const middle = Math.floor(made * step);
      const filter = filterAt(made * step - middle);
      const first = middle - dropped + 1;
      let value = 0;
      for (let tap = 0; tap < filter.length; tap += 1) value += (filter[tap] ?? 0) * (all[first + tap] ?? 0);
      out[index] = value;
    }
    const done = Math.max(0, Math.min(all.length, Math.floor(made * step) - dropped));
    held = all.slice(done);
    dropped += done;
    return out;
  };
}

function filterOf(fraction: number, reach: number, scale: number): Float32Array {
  const filter = new Float32Array(2 * reach);
  let sum = 0;
  for (let tap = 0; tap < filter.length; tap += 1) {
    const x = tap - reach + 1 - fraction;
    const window = 0.5 + 0.5 * Math.cos((Math.PI * x) / (reach + 1));
    const value = (x === 0 ? 1 : Math.sin(Math.PI * scale * x) / (Math.PI * scale * x)) * window;
    filter[tap] = value;
    sum += value;
  }
  return filter.map((value) => value / sum);
}
