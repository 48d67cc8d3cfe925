/** Zero crossings of the filter on each side. Enough for speech, at a quarter of a percent of a core per call. */
const crossings = 8;

/**
 * Changes the rate of a stream of samples, without clicks between its chunks. Uses a windowed sinc, which also removes the frequencies that a lower rate
 * cannot represent; they would be heard as a rasp.
 */
export function createResampler(from: number, to: number) {
  const scale = Math.min(1, to / from);
  /** Input samples on each side of an output sample. */
  const reach = Math.ceil(crossings / scale);
  const step = from / to;
  let rest: number[] | Float32Array = new Float32Array(reach);
  /** The position of the next output sample in `rest`. */
  let next = reach;
  const kernels = new Map<number, Float32Array>();

  function kernelOf(fraction: number): Float32Array {
    const key = Math.round(fraction * 1_024);
    const before = kernels.get(key);
    if (before) return before;
    const kernel = new Float32Array(2 * reach);
    let sum = 0;
    for (let tap = 0; tap < kernel.length; tap += 1) {
      const x = tap - reach + 1 - key / 1_024;
      const window = 0.5 + 0.5 * Math.cos((Math.PI * x) / (reach + 1));
      const value = x === 0 ? 1 : Math.sin(Math.PI * scale * x) / (Math.PI * scale * x);
      kernel[tap] = value * window;
      sum += value * window;
    }
    for (let tap = 0; tap < kernel.length; tap += 1) kernel[tap] = (kernel[tap] ?? 0) / sum;
    kernels.set(key, kernel);
    return kernel;
  }

  function push(samples: Int16Array): Int16Array<ArrayBuffer> {
    const all = new Float32Array(rest.length + samples.length);
    all.set(rest);
    all.set(samples, rest.length);
    const count = Math.max(0, Math.ceil((all.length - reach - next) / step));
    const out = new Int16Array(count);
    for (let index = 0; index < count; index += 1) {
      const middle = Math.floor(next);
      const kernel = kernelOf(next - middle);
      const first = middle - reach + 1;
      let value = 0;
      for (let tap = 0; tap < kernel.length; tap += 1) value += (kernel[tap] ?? 0) * (all[first + tap] ?? 0);
      out[index] = Math.max(-32_768, Math.min(32_767, Math.round(value)));
      next += step;
    }
    const drop = Math.max(0, Math.min(all.length, Math.floor(next) - reach));
    rest = all.slice(drop);
    next -= drop;
    return out;
  }

  return {
    push: from === to ? (samples: Int16Array) => Int16Array.from(samples) : push,
    /** The rest, at the end of the stream. */
    end: () => (from === to ? new Int16Array() : push(new Int16Array(reach))),
  };
}
