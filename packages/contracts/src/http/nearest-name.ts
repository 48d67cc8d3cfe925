import { distance } from 'fastest-levenshtein';

/** The most similar known name; null if none is similar. */
export function nearestName(given: string, known: readonly string[]): string | null {
  const name = given.toLowerCase();
  let nearest: { known: string; distance: number } | null = null;
  for (const candidate of known) {
    const away = distance(name, candidate.toLowerCase());
    if (nearest === null || away < nearest.distance) nearest = { known: candidate, distance: away };
  }
  // If fewer than half of the letters match, the name is another word and not a typing error.
  return nearest !== null &&
    nearest.distance <= Math.max(2, name.length / 2) &&
    nearest.distance < name.length
    ? nearest.known
    : nameOfSameWords(name, known);
}

/** The only name that contains all words of the given one, or whose words the given one all contains: `phone` for `phone_number`. */
function nameOfSameWords(given: string, known: readonly string[]): string | null {
  const words = wordsOf(given);
  const [only, ...others] = known.filter((candidate) => {
    const its = wordsOf(candidate);
    return its.every((word) => words.includes(word)) || words.every((word) => its.includes(word));
  });
  return only !== undefined && others.length === 0 ? only : null;
}

function wordsOf(name: string): string[] {
  return name.toLowerCase().split(/[^\p{L}\p{N}]+/u);
}
