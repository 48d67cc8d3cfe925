import type { IncomingMessage } from 'node:http';

export interface GuardOptions {
  /** Accepted host names in addition to those of this machine, with their ports if they have one. */
  allowedHosts: readonly string[];
  /** Accepted origins of pages; none by default. Programs send no `Origin`. */
  allowedOrigins: readonly string[];
}

const loopbackHost = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i;

/**
 * Why a request is refused, or null. `Host` and `Origin` must be known, so that a page in a browser cannot reach this server through its
 * own name (DNS rebinding): MCP, Streamable HTTP, "Security Warning".
 */
export function guardFault(request: IncomingMessage, options: GuardOptions): string | null {
  const { host, origin } = request.headers;
  if (host === undefined || !(loopbackHost.test(host) || options.allowedHosts.includes(host.toLowerCase()))) {
    return 'This host is not allowed: add it with --allow-host';
  }
  if (origin !== undefined && !options.allowedOrigins.includes(origin.toLowerCase())) {
    return 'This origin is not allowed: name it with --allow-origin';
  }
  return null;
}

/** The caller's credential. The server itself has none. */
export function credentialOf(request: IncomingMessage): { apiKey: string } | { accessToken: string } | null {
  const key = request.headers['x-api-key'];
  if (typeof key === 'string' && key !== '') return { apiKey: key };
  const token = /^Bearer +([\w\-.~+/]+=*) *$/i.exec(request.headers.authorization ?? '')?.[1];
  if (token === undefined) return null;
  // Many MCP clients support no other header.
  return token.startsWith('od_') ? { apiKey: token } : { accessToken: token };
}
