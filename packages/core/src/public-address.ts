import ipaddr from 'ipaddr.js';

/**
 * The ranges that are not on the public internet: this machine, private networks, link-local addresses (which serve cloud metadata), and IPv6 addresses
 * that embed an IPv4 address (compatible, mapped, translated, 6to4, Teredo), which may be any of these. From the IANA special-purpose registries
 * (RFC 6890 and its successors).
 */
export const notPublicRanges: readonly string[] = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  // All but 2000::/3, the only part of IPv6 that is assigned to networks: ::/96 is compatible, 64:ff9b::/96 is NAT64.
  '::/3',
  '4000::/2',
  '8000::/1',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
];

const ranges = notPublicRanges.map((range) => ipaddr.parseCIDR(range));

/** Whether this is an address of the public internet. A name is none. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  return !ranges.some((range) => parsed.kind() === range[0].kind() && parsed.match(range));
}
