import dns from 'node:dns';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { CodedError, isPublicAddress } from '@outdial/core';

/** Only a pattern allows the host, and it resolves to an address that is not public. */
class PrivateAddressError extends CodedError {
  readonly code = 'recording_address_refused';

  constructor(host: string) {
    super('The recording is on a host that is not allowed', {
      internal: `${host} resolves to an address that is not public, and recording_hosts does not name the host in full`,
    });
  }
}

/** The request fails if the host sends nothing for this long. */
const silenceMs = 30_000;

/**
 * Requests audio, and resolves to the response as soon as it begins. Redirects are not followed. With `publicOnly`, the check is part of the name
 * look-up of the connection, so that the name cannot resolve to another address afterwards.
 */
export function openAudio(request: {
  url: URL;
  headers: Record<string, string>;
  signal: AbortSignal;
  publicOnly: boolean;
}): Promise<IncomingMessage> {
  const { url, headers, signal, publicOnly } = request;
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  // An IP address is not looked up, so it is checked here.
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
