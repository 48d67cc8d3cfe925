import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Whether the host of an address may be public, as far as it can be told without asking for names: an address of a private range, of this machine or of its link is not,
 * and neither is `localhost`. A name may come to lead anywhere, so where a connection is made its address is checked again.
 */
export function mayBePublic(url: URL): boolean {
  // URL has made one form of all that a host may be written as: 0x7f.1 and 2130706433 are 127.0.0.1.
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0) return ipaddr.process(host).range() === 'unicast';
  const name = host.replace(/\.$/, '').toLowerCase();
  return name !== 'localhost' && !name.endsWith('.localhost');
}
