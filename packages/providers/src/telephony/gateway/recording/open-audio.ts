import type { IncomingMessage } from 'node:http';
import { CodedError } from '@outdial/core';
import { createHttpClient, NoAnswerError } from '@outdial/runtime/http-client';

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

const anywhere = createHttpClient({ publicOnly: false, idleConnectionsAtMost: 8 });
const inPublic = createHttpClient({ publicOnly: true, idleConnectionsAtMost: 8 });

/** Requests audio, and resolves to the response as soon as it begins. */
export async function openAudio(request: {
  url: URL;
  headers: Record<string, string>;
  signal: AbortSignal;
  publicOnly: boolean;
}): Promise<IncomingMessage> {
  const { url, signal, publicOnly } = request;
  const headers = { ...request.headers, 'accept-encoding': 'identity' };
  try {
    return await (publicOnly ? inPublic : anywhere).send({ method: 'GET', url, headers, signal, silenceMs });
  } catch (error) {
    if (!(error instanceof NoAnswerError)) throw error;
    throw error.code === 'ENOTPUBLIC' ? new PrivateAddressError(url.hostname) : error.cause;
  }
}
