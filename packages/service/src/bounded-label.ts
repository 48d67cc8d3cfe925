/** Gives the first values their own series and all others `other`, because Prometheus keeps every series that it has seen. */
export function boundedLabel(atMost: number): (value: string) => string {
  const known = new Set<string>();
  return (value) => {
    if (known.has(value)) return value;
    if (known.size >= atMost) return 'other';
    known.add(value);
    return value;
  };
}
