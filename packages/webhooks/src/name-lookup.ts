import { Resolver } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { callbackify } from 'node:util';

/** A name server has this long for each of its answers, and is asked twice. */
const answerWithinMs = 2_000;
const tries = 2;

type NameServers = Pick<Resolver, 'resolve4' | 'resolve6'>;

/**
 * Looks names up without a thread for each. `dns.lookup`, which Node uses otherwise, has two threads for a whole process, and a name whose server does not answer holds
 * one of them for ten seconds or more: two such names of one organization would keep those of all others waiting. Asks name servers only, so names of
 * `/etc/hosts` are unknown.
 */
export function createNameLookup(
  servers: NameServers = new Resolver({ timeout: answerWithinMs, tries }),
): LookupFunction {
  const findAddresses = callbackify(addressesOf);
  return (hostname, { all, family }, callback) =>
    findAddresses(servers, hostname, familiesOf(family), (error, addresses) => {
      const [first] = addresses ?? [];
      if (error !== null || first === undefined) callback(error, []);
      else if (all === true) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
}

type Family = 4 | 6;

function familiesOf(family: number | string | undefined): readonly Family[] {
  if (family === 4 || family === 'IPv4') return [4];
  return family === 6 || family === 'IPv6' ? [6] : [4, 6];
}

/** Those of IPv4 first. @throws what the first family is answered, if no family has an address */
async function addressesOf(
  servers: NameServers,
  hostname: string,
  families: readonly Family[],
): Promise<Array<{ address: string; family: Family }>> {
  const answers = await Promise.allSettled(
    families.map(async (family) => {
      const addresses = await (family === 4 ? servers.resolve4(hostname) : servers.resolve6(hostname));
      return addresses.map((address) => ({ address, family }));
    }),
  );
  const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  const refused = answers.find((answer) => answer.status === 'rejected');
  if (found.length === 0 && refused !== undefined) throw refused.reason;
  return found;
}
