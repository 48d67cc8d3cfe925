import { isIP, type LookupFunction } from 'node:net';
import { isPublicAddress } from '@outdial/core';
import { createNameLookup } from './name-lookup.ts';

/** The host leads to an address that is not public. */
export class NotPublicError extends Error {
  readonly code = 'ENOTPUBLIC';

  constructor(host: string) {
    super(`${host} leads to an address that is not public.`);
  }
}

/**
 * Whether a host may be public, without resolving names: an address of a private range, of this machine or of its link is not, and neither
 * is `localhost`. The address of a name may change, so it is checked again at connect.
 */
export function mayBePublic(url: URL): boolean {
  // URL normalizes all spellings of a host: 0x7f.1 and 2130706433 become 127.0.0.1.
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0) return isPublicAddress(host);
  const name = host.replace(/\.$/, '').toLowerCase();
  return name !== 'localhost' && !name.endsWith('.localhost');
}

/**
 * A look-up for connections to public addresses only. One that is not public is enough to refuse a name: the agent may choose any of them. Only private
 * names are in /etc/hosts, or complete with a domain that the system adds, so it asks name servers. Node looks up no address that a URL has as its
 * host, so ask `mayBePublic` before each request.
 */
export function publicOnly(lookup: LookupFunction = createNameLookup()): LookupFunction {
  return (hostname, options, callback) =>
    lookup(hostname, { ...options, all: true }, (error, found) => {
      const addresses = Array.isArray(found) ? found : [];
      const [first] = addresses;
      if (error !== null) callback(error, []);
      else if (first === undefined || !addresses.every(({ address }) => isPublicAddress(address))) {
        callback(new NotPublicError(hostname), []);
      } else if (options.all === true) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
}
