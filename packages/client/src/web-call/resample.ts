/** Zero crossings of the filter on each side: enough for speech. */
const crossings = 8;
/** The number of positions between two samples with their own filter. */
const fractions = 64;

/**
 * Changes the rate of a stream with a windowed sinc, block by block, without clicks in between. When it lowers the rate, it also removes
 * frequencies that the lower rate cannot represent.
 */
export function createResampler(from: number, to: number): (block: Float32Array) => Float32Array {
  const scale = Math.min(1, to / from);
  const reach = Math.ceil(crossings / scale);
  const step = from / to;
  const filters = Array.from({ length: fractions + 1 }, (_, at) => filterOf(at / fractions, reach, scale));
  let held = new Float32Array(reach);
  let next = reach;
  return (block) => {
    const all = new Float32Array(held.length + block.length);
    all.set(held);
    all.set(block, held.length);
    const out = new Float32Array(Math.max(0, Math.ceil((all.length - reach - next) / step)));
    for (let index = 0; index < out.length; index += 1) {
      const middle = Math.floor(next);
      const filter = filters[Math.round((next - middle) * fractions)] ?? new Float32Array();
      const first = middle - reach + 1;
      let value = 0;
      for (let tap = 0; tap < filter.length; tap += 1) value += (filter[tap] ?? 0) * (all[first + tap] ?? 0);
      out[index] = value;
      next += step;
    }
    const drop = Math.max(0, Math.min(all.length, Math.floor(next) - reach));
    held = all.slice(drop);
    next -= drop;
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
