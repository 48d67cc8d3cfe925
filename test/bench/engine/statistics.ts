/** The quantile `q` of the values. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The smallest and largest value, as shown in the table. */
export function spread(values: readonly number[], digits: number): string {
  if (values.length < 2) return '–';
  return `${Math.min(...values).toFixed(digits)}–${Math.max(...values).toFixed(digits)}`;
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** By how much the largest value exceeds the smallest: 0.15 if all lie within 15 %. */
export function unevenness(values: readonly number[]): number {
  return Math.max(...values) / Math.min(...values) - 1;
}
