/** The longest lease of a claim, whatever `LEASE_SECONDS` says. A lease further ahead was given under another clock. */
export const longestLeaseSeconds = 600;

/** The longest pause of a provider, whatever it asks for. */
export const longestProviderPauseMs = 300_000;
