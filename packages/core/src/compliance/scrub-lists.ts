/**
 * The highest age of a scrub list (such as a national or state do-not-call registry): 31 days, as in 16 CFR 310.4(b)(3)(iv) and 47 CFR
 * 64.1200(c)(2)(i)(D) for the registry of the United States.
 */
export const scrubGoodForDays = 31;

/** The most lists of a campaign. */
export const scrubListsAtMost = 10;

/** Until when a list is valid that was scrubbed at an instant. */
export function scrubGoodUntil(scrubbedAt: Date): Date {
  return new Date(scrubbedAt.getTime() + scrubGoodForDays * 86_400_000);
}
