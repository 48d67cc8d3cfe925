import type { Socket } from 'node:net';
import type { Request } from 'express';
import type { ApiConfig } from '../deps.ts';

/**
 * The public URL of this service, without a trailing slash: the configured one, or the address that received this request. Never the `Host`
 * header, which the caller controls and which would appear in answers that others read.
 */
export function baseUrl(req: Request, config: Pick<ApiConfig, 'publicUrl'>): string {
  return config.publicUrl ?? localUrl(req.socket);
}

function localUrl({ localAddress = '127.0.0.1', localPort = 80 }: Socket): string {
  // An IPv4 address on a dual-stack socket.
  const address = localAddress.replace(/^::ffff:/, '');
  return `http://${address.includes(':') ? `[${address}]` : address}:${localPort}`;
}
