import type { Socket } from 'node:net';
import type { Request } from 'express';
import type { ApiConfig } from '../deps.ts';

/**
 * Where this service is reached: as it is set, else the address that this request was received at. Never the `Host` header, which is the
 * caller's to choose and would come back in answers that others read. Without a trailing slash.
 */
export function baseUrl(req: Request, config: Pick<ApiConfig, 'publicUrl'>): string {
  return config.publicUrl ?? localUrl(req.socket);
}

function localUrl({ localAddress = '127.0.0.1', localPort = 80 }: Socket): string {
  // An IPv4 address of a socket that takes both kinds.
  const address = localAddress.replace(/^::ffff:/, '');
  return `http://${address.includes(':') ? `[${address}]` : address}:${localPort}`;
}
