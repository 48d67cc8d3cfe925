/** The legal basis for calling a person. The terms are those of the telephone rules of the United States; others map onto them. */
export const consentBases = [
  'prior_express',
  'prior_express_written',
  'existing_business',
  'transactional',
  'inquiry',
] as const;
export type ConsentBasis = (typeof consentBases)[number];

/** Which people a campaign may call. */
export interface ConsentRule {
  /** Only people with a consent in force that covers the campaign's purpose. */
  isRequired: boolean;
  /** The accepted bases; null for any. */
  bases: readonly ConsentBasis[] | null;
}

/** How long consents are kept after their last use, as proof. */
export const keepConsentsYears = 5;
