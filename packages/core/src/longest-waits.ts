/** The longest pause of a provider, whatever it asks for. */
export const longestProviderPauseMs = 300_000;
