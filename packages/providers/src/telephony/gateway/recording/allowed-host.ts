export type HostDecision =
  /** Named in full in the provider's configuration: it may be anywhere, on a private network too. */
  | { kind: 'named' }
  /** Allowed by a pattern: only while its name leads to public addresses. */
  | { kind: 'pattern' }
  | { kind: 'refused' };

/**
 * Whether audio may be fetched from a url that a gateway told us. `allowed` holds `host`, `host:port` or `*.domain`; an entry without a
 * port means the scheme's own.
 */
export function decideHost(url: URL, allowed: readonly string[]): HostDecision {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return { kind: 'refused' };
  if (url.username !== '' || url.password !== '') return { kind: 'refused' };
  const host = url.host.toLowerCase();
  if (allowed.includes(host)) return { kind: 'named' };
  const isBelow = (pattern: string) => pattern.startsWith('*.') && host.endsWith(pattern.slice(1));
  return allowed.some(isBelow) ? { kind: 'pattern' } : { kind: 'refused' };
}
