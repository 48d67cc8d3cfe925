import { TIMEOUT } from 'node:dns';
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
      if (error !== null) callback(error, []);
      else if (all === true) callback(null, addresses);
      else callback(null, addresses[0].address, addresses[0].family);
    });
}

/** With the code of `dns.lookup`: name servers have some that say something else of a connection, as `ECONNREFUSED` where none was there to ask. */
class UnknownNameError extends Error {
  readonly code = 'ENOTFOUND';

  constructor(hostname: string, cause: unknown) {
    super(`No address of ${hostname} is known.`, { cause });
  }
}

type Family = 4 | 6;

interface Address {
  address: string;
  family: Family;
}

function familiesOf(family: number | string | undefined): readonly Family[] {
  if (family === 4 || family === 'IPv4') return [4];
  return family === 6 || family === 'IPv6' ? [6] : [4, 6];
}

/**
 * Those of IPv4 first, and at least one: Node takes the first one unseen, outside of any request, so that none would end the process. The answer to a name that is
 * only an alias of one without addresses has none, and is no error.
 * @throws if no family has an address
 */
async function addressesOf(
  servers: NameServers,
  hostname: string,
  families: readonly Family[],
): Promise<[Address, ...Address[]]> {
  const answers = await Promise.allSettled(
    families.map(async (family) => {
      const addresses = await ask(servers, hostname, family);
      return addresses.map((address) => ({ address, family }));
    }),
  );
  const [first, ...others] = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  if (first !== undefined) return [first, ...others];
  const refused: unknown = answers.find((answer) => answer.status === 'rejected')?.reason;
  throw isTimeout(refused) ? refused : new UnknownNameError(hostname, refused);
}

/** RFC 6761, section 6.3: no name server is asked about this machine, since some know it and some do not. */
const thisMachine = /^(.+\.)?localhost\.?$/i;

async function ask(servers: NameServers, hostname: string, family: Family): Promise<string[]> {
  if (thisMachine.test(hostname)) return [family === 4 ? '127.0.0.1' : '::1'];
  return family === 4 ? servers.resolve4(hostname) : servers.resolve6(hostname);
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === TIMEOUT;
}
