/** Zero crossings of the filter on each side. Eight are enough for speech, and cost a quarter of a percent of a core per call. */
const crossings = 8;
/** How many samples are converted at once. */
const blockSamples = 2_048;

/**
 * Changes the rate of a stream of samples, without clicks between its chunks. Uses a windowed sinc, which also removes the frequencies that a lower rate
 * cannot represent; left in, they would sound like a rasp.
 */
export function createResampler(from: number, to: number) {
  const scale = Math.min(1, to / from);
  /** Input samples on each side of an output sample. */
  const reach = Math.ceil(crossings / scale);
  const step = from / to;
  /** Input that the next output samples need. Chunks pass through in blocks, so this buffer never grows. */
  const held = new Float32Array(blockSamples + 2 * reach + Math.ceil(step));
  let heldSamples = reach;
  /** How many samples were dropped from the front of `held`. */
  let dropped = 0;
  let made = 0;
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

  /** Writes the output samples that this block completes to `out`, from `at` on. Returns the end of what was written. */
  function pushBlock(samples: Int16Array, out: Int16Array, at: number): number {
    held.set(samples, heldSamples);
    heldSamples += samples.length;
    let end = at;
    // Each position is computed from the start: sums of fractions would depend on how the input is cut.
    for (; made * step < dropped + heldSamples - 2 * reach; made += 1) {
      const middle = Math.floor(made * step);
      const kernel = kernelOf(made * step - middle);
      const first = middle - dropped + 1;
      let value = 0;
      for (let tap = 0; tap < kernel.length; tap += 1) value += (kernel[tap] ?? 0) * (held[first + tap] ?? 0);
      out[end] = Math.max(-32_768, Math.min(32_767, Math.round(value)));
      end += 1;
    }
    const done = Math.min(heldSamples, Math.floor(made * step) - dropped);
    held.copyWithin(0, done, heldSamples);
    heldSamples -= done;
    dropped += done;
    return end;
  }

  function push(samples: Int16Array): Int16Array<ArrayBuffer> {
    const out = new Int16Array(Math.ceil((samples.length + heldSamples) / step));
    let end = 0;
    for (let at = 0; at < samples.length; at += blockSamples) {
      end = pushBlock(samples.subarray(at, at + blockSamples), out, end);
    }
    return out.subarray(0, end);
  }

  return {
    push: from === to ? (samples: Int16Array) => Int16Array.from(samples) : push,
    /** The rest, at the end of the stream. */
    end: () => (from === to ? new Int16Array() : push(new Int16Array(reach))),
  };
}
