/** Scrub lists of an organization: a country, each of its states, and some vendors. */
export const scrubListsHeldAtMost = 100;

/** Numbers of one person. */
export const numbersOfPersonAtMost = 100;

/** Per organization, because all share one disk: about 10 GB of scrub-list numbers, and 3 GB of number changes. */
export const complianceRowsAtMost = {
  scrub_list_numbers: 50_000_000,
  number_changes: 10_000_000,
  person_numbers: 10_000_000,
  number_queries: 10_000_000,
} as const;
