import { TIMEOUT } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { callbackify } from 'node:util';

/** The time for each answer of a name server, which is asked twice. */
const answerWithinMs = 2_000;
const tries = 2;

type NameServers = Pick<Resolver, 'resolve4' | 'resolve6'>;

/**
 * Resolves names without threads. Node's default, `dns.lookup`, has two threads per process, and a name whose server does not answer
 * occupies one for ten seconds or more. Two such names of one organization would delay all others. Only asks name servers, so names of
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

/** Uses the codes of `dns.lookup`, because some codes of name servers mean something else for a connection, such as `ECONNREFUSED`. */
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
 * IPv4 addresses first, and at least one: Node uses the first one unchecked, outside of any request, so that an empty list would crash the
 * process. The answer for an alias of a name without addresses is empty and not an error. @throws if no family has an address
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

/** RFC 6761, section 6.3: name servers are not asked for localhost, because some know it and some do not. */
const thisMachine = /^(.+\.)?localhost\.?$/i;

async function ask(servers: NameServers, hostname: string, family: Family): Promise<string[]> {
  if (thisMachine.test(hostname)) return [family === 4 ? '127.0.0.1' : '::1'];
  return family === 4 ? servers.resolve4(hostname) : servers.resolve6(hostname);
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === TIMEOUT;
}
