/** The entry for one number in a campaign's `additional_params.recipients`. */
export interface RecipientDetails {
  timezone: string | null;
  /** ISO 3166. */
  region?: string | undefined;
  postalCode?: string | undefined;
  promptParams: Record<string, string> | null;
}
