/** Scripts without spaces between words, and marks that belong to the letter before them. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー々][\p{M}\u200c\u200d]*/u;
const unspacedRuns = new RegExp(`(?:${unspaced.source})+`, 'gu');
const letters = new RegExp(unspaced.source, 'gu');

/**
 * Marks words in scripts without spaces: every two neighbouring letters become a word, so that `退货政策` is indexed as
 * `退货 货政 政策` and any part of it is found. Postgres then needs no dictionary. Null if there is nothing to mark.
 */
export function markWords(text: string): string | null {
  // All of those scripts lie above U+0E00, so this test excludes most texts at once.
  if (!/[\u0e00-\uffff]/.test(text)) return null;
  let marked = false;
  const result = text.replaceAll(unspacedRuns, (run) => {
    marked = true;
    return ` ${pairs(run).join(' ')} `;
  });
  return marked ? result : null;
}

/** Runs of such a script in a question; each must be found literally. */
export function unspacedParts(question: string): string[] {
  return question.match(unspacedRuns) ?? [];
}

/** A single letter is kept as it is. */
export function pairs(run: string): string[] {
  const all = run.match(letters) ?? [];
  if (all.length < 2) return all;
  return all.slice(1).map((letter, at) => `${all[at] ?? ''}${letter}`);
}
