import { rulesOf, type rulesUnder } from './rulebook.ts';

/** The highest age in days of a scrub list (such as a do-not-call registry), and that of lists whose jurisdiction names none. */
export const scrubGoodForDays = 31;

/** The most lists of a campaign. */
export const scrubListsAtMost = 10;

/**
 * The highest age in days of a list of a jurisdiction, by the strictest rule that applies there. Null: the jurisdiction is not known.
 * @param of by default the rules that this process applies
 */
export function scrubDaysOf(jurisdiction: string | null, of?: ReturnType<typeof rulesUnder>): number {
  const rules = jurisdiction === null ? [] : rulesOf(jurisdiction, 'strict', of);
  return Math.min(
    scrubGoodForDays,
    ...rules.map(({ registry }) => registry?.goodForDays ?? scrubGoodForDays),
  );
}

/** Until when a list is valid that was scrubbed at an instant. */
export function scrubGoodUntil(scrubbedAt: Date, goodForDays: number): Date {
  return new Date(scrubbedAt.getTime() + goodForDays * 86_400_000);
}

/** Whether a new version of a list has so few numbers, beside the one before, that it was probably cut off. */
export function isSharplySmaller(numbers: number, before: number | null): boolean {
  return numbers === 0 || numbers * 2 < (before ?? 0);
}
