/** On what somebody may be called. The words are those of the telephone rules of the United States; others map onto them. */
export const consentBases = [
  'prior_express',
  'prior_express_written',
  'existing_business',
  'transactional',
  'inquiry',
] as const;
export type ConsentBasis = (typeof consentBases)[number];

/** Whom a campaign calls. */
export interface ConsentRule {
  /** Only people with a consent in force that covers its purpose. */
  isRequired: boolean;
  /** The bases that will do; null for any. */
  bases: readonly ConsentBasis[] | null;
}

/** Consents are kept for so long after their last use, as proof. */
export const keepConsentsYears = 5;
