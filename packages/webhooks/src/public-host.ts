import { isIP } from 'node:net';
import { isPublicAddress } from '@outdial/core';

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
