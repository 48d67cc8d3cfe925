/** An entry of a campaign's `additional_params.recipients`. */
export interface RecipientDetails {
  timezone: string | null;
  /** ISO 3166. */
  region?: string | undefined;
  postalCode?: string | undefined;
  promptParams: Record<string, string> | null;
}
