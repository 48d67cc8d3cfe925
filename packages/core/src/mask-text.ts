const shownAtMost = 32;

/** Masks a text that may identify a person: the result is enough to find it in one's own data, but not to call. The last two characters stay. */
export function maskText(text: string): string {
  const shown = text.slice(0, shownAtMost).toWellFormed();
  return shown.slice(0, -2).replaceAll(/[\p{L}\p{N}]/gu, '•') + shown.slice(-2);
}
