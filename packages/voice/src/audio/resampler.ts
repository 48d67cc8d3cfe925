import { createResampler as resample, reachOf } from '@outdial/client/resample';

/** Changes the rate of a stream of samples, without clicks between its chunks. */
export function createResampler(from: number, to: number) {
  const convert = resample(from, to);
  const push = (samples: Int16Array): Int16Array<ArrayBuffer> =>
    Int16Array.from(convert(Float32Array.from(samples)), (value) =>
      Math.max(-32_768, Math.min(32_767, Math.round(value))),
    );
  return {
    push: from === to ? (samples: Int16Array) => Int16Array.from(samples) : push,
    /** The rest, at the end of the stream. */
    end: () => (from === to ? new Int16Array() : push(new Int16Array(reachOf(from, to)))),
  };
}
