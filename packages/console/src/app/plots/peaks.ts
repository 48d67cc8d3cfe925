/** The loudest sample in each of `number` parts, from 0 to 1, the loudest of all being 1. */
export function peaksOf(samples: Float32Array, number: number): number[] {
  const length = Math.max(1, Math.ceil(samples.length / number));
  const peaks = Array.from({ length: number }, (_, part) => {
    let most = 0;
    const end = Math.min(samples.length, (part + 1) * length);
    for (let at = part * length; at < end; at++) most = Math.max(most, Math.abs(samples[at] ?? 0));
    return most;
  });
  const loudest = Math.max(...peaks, 0);
  return loudest === 0 ? peaks : peaks.map((peak) => peak / loudest);
}
