/**
 * A scrub list (a national do-not-call registry, a list of a state) may be so old for a campaign that needs it: 31 days, as
 * 16 CFR 310.4(b)(3)(iv) and 47 CFR 64.1200(c)(2)(i)(D) have it for the registry of the United States.
 */
export const scrubGoodForDays = 31;

/** A campaign asks no more lists than this. */
export const scrubListsAtMost = 10;

/** Until when a list that was scrubbed at an instant may be called by. */
export function scrubGoodUntil(scrubbedAt: Date): Date {
  return new Date(scrubbedAt.getTime() + scrubGoodForDays * 86_400_000);
}
