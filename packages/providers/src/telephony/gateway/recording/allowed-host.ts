export type HostDecision =
  /** The provider's configuration names the host in full. It may be on a private network. */
  | { kind: 'named' }
  /** Allowed by a pattern, but only if the name resolves to public addresses. */
  | { kind: 'pattern' }
  | { kind: 'refused' };

/**
 * Decides whether audio may be fetched from a URL that a gateway sent. `allowed` holds entries of `host`, `host:port` or `*.domain`; without a port,
 * the scheme's default port is meant.
 */
export function decideHost(url: URL, allowed: readonly string[]): HostDecision {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return { kind: 'refused' };
  if (url.username !== '' || url.password !== '') return { kind: 'refused' };
  const host = url.host.toLowerCase();
  if (allowed.includes(host)) return { kind: 'named' };
  const isBelow = (pattern: string) => pattern.startsWith('*.') && host.endsWith(pattern.slice(1));
  return allowed.some(isBelow) ? { kind: 'pattern' } : { kind: 'refused' };
}
