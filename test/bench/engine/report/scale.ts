/** Maps values to positions on an axis, and chooses the labelled values. */
export interface Scale {
  at: (value: number) => number;
  ticks: number[];
}

/** Maps the values to pixels between `from` and `to`. Begins at zero and ends at a round number. */
export function linearScale(greatest: number, pixels: { from: number; to: number }): Scale {
  const step = roundStep((greatest > 0 ? greatest : 1) / 5);
  const count = Math.ceil((greatest > 0 ? greatest : 1) / step);
  const end = count * step;
  return {
    at: (value) => pixels.from + (value / end) * (pixels.to - pixels.from),
    // Steps are multiples of powers of ten, which floating point cannot represent exactly.
    ticks: Array.from({ length: count + 1 }, (_, n) => Number((n * step).toPrecision(12))),
  };
}

/** Powers of ten. */
export function logScale([least, greatest]: [number, number], pixels: { from: number; to: number }): Scale {
  const first = Math.floor(Math.log10(least));
  const last = Math.max(first + 1, Math.ceil(Math.log10(greatest)));
  return {
    at: (value) => pixels.from + ((Math.log10(value) - first) / (last - first)) * (pixels.to - pixels.from),
    ticks: Array.from({ length: last - first + 1 }, (_, n) => 10 ** (first + n)),
  };
}

/** The next of 1, 2, 2.5, 5 and 10 times a power of ten. */
function roundStep(step: number): number {
  const power = 10 ** Math.floor(Math.log10(step));
  const factor = [1, 2, 2.5, 5, 10].find((one) => one * power >= step * 0.999) ?? 10;
  return factor * power;
}

export function formatTick(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: 4 });
}
