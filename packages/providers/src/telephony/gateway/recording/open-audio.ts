import dns from 'node:dns';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { CodedError } from '@outdial/core';
import { isPublicAddress } from './public-address.ts';

/** A host that only a pattern allows leads to an address that is not public. */
class PrivateAddressError extends CodedError {
  readonly code = 'recording_address_refused';

  constructor(host: string) {
    super('The recording lies on a host that is not allowed', {
      internal: `${host} leads to an address that is not public, and recording_hosts does not name it in full`,
    });
  }
}

/** A host that sends nothing for this long is given up. */
const silenceMs = 30_000;

/**
 * Asks for audio and gives the answer as it comes; redirects are answers too, they are not followed. With `publicOnly`, the address
 * is checked where the connection takes it from, so that a name cannot lead elsewhere a moment later.
 */
export function openAudio(request: {
  url: URL;
  headers: Record<string, string>;
  signal: AbortSignal;
  publicOnly: boolean;
}): Promise<IncomingMessage> {
  const { url, headers, signal, publicOnly } = request;
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  // An address needs no look-up of its name, so it is checked here.
  if (publicOnly && isIP(host) !== 0 && !isPublicAddress(host)) {
    return Promise.reject(new PrivateAddressError(host));
  }
  return new Promise((resolve, reject) => {
    const outgoing = (url.protocol === 'https:' ? https : http).request(
      url,
      {
        agent: false,
        signal,
        timeout: silenceMs,
        headers: { ...headers, 'accept-encoding': 'identity' },
        ...(publicOnly && { lookup: publicLookup }),
      },
      resolve,
    );
    outgoing.once('timeout', () => outgoing.destroy(new Error('the host of the recording is silent')));
    outgoing.once('error', reject);
    outgoing.end();
  });
}

const publicLookup: LookupFunction = (hostname, options, callback) => {
  dns.lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, '');
    if (addresses.length === 0 || !addresses.every(({ address }) => isPublicAddress(address))) {
      return callback(new PrivateAddressError(hostname), '');
    }
    const [first] = addresses;
    if (options.all === true || first === undefined) return callback(null, addresses);
    callback(null, first.address, first.family);
  });
};
