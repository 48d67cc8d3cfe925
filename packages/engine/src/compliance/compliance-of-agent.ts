/** What an agent's `config.compliance` says; what cannot be read is as if it were not there. */
export function complianceOfAgent(config: Record<string, unknown>): {
  /** The key by which a person asks for no further calls. */
  optOutKey: string | null;
} {
  const { compliance } = config;
  if (typeof compliance !== 'object' || compliance === null) return { optOutKey: null };
  const key = 'opt_out_key' in compliance ? compliance.opt_out_key : null;
  return { optOutKey: typeof key === 'string' && /^[0-9*#]$/.test(key) ? key : null };
}
