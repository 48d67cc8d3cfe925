import type { CampaignPurpose } from './campaign-purpose.ts';

/** The legal basis for calling a person. The terms are those of the telephone rules of the United States; others map onto them. */
export const consentBases = [
  'prior_express',
  'prior_express_written',
  'existing_business',
  'transactional',
  'inquiry',
] as const;
export type ConsentBasis = (typeof consentBases)[number];

/** The consents that a rule of law accepts for a purpose, and where that stands. */
export interface ConsentNeed {
  bases: readonly ConsentBasis[];
  citation: string;
}

/** What the texts of a jurisdiction say of consents to calls. */
export type ConsentReading = Readonly<Partial<Record<CampaignPurpose, ConsentNeed>>> & {
  /** yyyy-MM-dd, when the texts were last checked. Null if they are only cited, and still have to be read. */
  asOf: string | null;
  /** The page about the law that was read, where the law itself was not. */
  readIn?: string;
  /** If no purpose needs a consent: what was found instead. */
  none?: string;
};

/** Declared by the person, in any form, or in a document that the person signed, which includes every other form. */
export const expressConsent: readonly ConsentBasis[] = ['prior_express', 'prior_express_written'];
export const writtenConsent: readonly ConsentBasis[] = ['prior_express_written'];

/** Which people a campaign may call. */
export interface ConsentRule {
  /** Only people with a consent in force that covers the campaign's purpose. */
  isRequired: boolean;
  /** The accepted bases; null for any. */
  bases: readonly ConsentBasis[] | null;
  /** Within how many days a query of reassigned numbers must have said that the number was not given up; null or absent for none. */
  queryDays?: number | null;
}

/** How long consents are kept after their last use, as proof. */
export const keepConsentsYears = 5;
