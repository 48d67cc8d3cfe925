/** Gives the first values a series of their own, and all others one together: Prometheus keeps every series that it has ever seen. */
export function boundedLabel(atMost: number): (value: string) => string {
  const known = new Set<string>();
  return (value) => {
    if (known.has(value)) return value;
    if (known.size >= atMost) return 'other';
    known.add(value);
    return value;
  };
}
