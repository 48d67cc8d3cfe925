/** No claim is leased for longer, whatever `LEASE_SECONDS` says: a lease that lies further ahead was given under another clock. */
export const longestLeaseSeconds = 600;

/** No provider is left alone for longer at a time, whatever it asks for. */
export const longestProviderPauseMs = 300_000;
