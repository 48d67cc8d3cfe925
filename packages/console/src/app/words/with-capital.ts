/** `set campaign status` → `Set campaign status`, for words that begin a line. */
export function withCapital(words: string): string {
  return `${words.slice(0, 1).toLocaleUpperCase()}${words.slice(1)}`;
}
