import type { LookupFunction } from 'node:net';
import { isPublicAddress } from '@outdial/core';
import { createNameLookup } from './name-lookup.ts';

/** The name of a host leads to an address that is not public. */
class NotPublicError extends Error {
  readonly code = 'ENOTPUBLIC';

  constructor(host: string) {
    super(`${host} leads to an address that is not public.`);
  }
}

/**
 * The options of an agent that connects only to public addresses, unless private ones are allowed. Node looks up no address that a url has as its host, so
 * ask `mayBePublic` before each request.
 */
export function targetsOf({ allowPrivateTargets }: { allowPrivateTargets: boolean }): {
  allowPrivateIPAddress: boolean;
  allowMetaIPAddress: boolean;
  lookup?: LookupFunction;
} {
  return {
    allowPrivateIPAddress: allowPrivateTargets,
    allowMetaIPAddress: allowPrivateTargets,
    // Only private names are in /etc/hosts, or complete with a domain that the system adds.
    ...(!allowPrivateTargets && { lookup: publicOnly(createNameLookup()) }),
  };
}

/** One address that is not public is enough to refuse a name: the agent may choose any of them. */
function publicOnly(lookup: LookupFunction): LookupFunction {
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
