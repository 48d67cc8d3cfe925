import { randomUUID } from 'node:crypto';
import { CodedError, type CallReference, type Recording } from '@outdial/core';
import type { GatewaySettings } from '../settings.ts';
import type { SignatureHeaders } from '../signature.ts';
import { decideHost } from './allowed-host.ts';
import { openAudio } from './open-audio.ts';
import { openRangedAudio } from './ranged-audio.ts';

/** The gateway named a recording on a host that the provider's configuration does not allow. */
class RecordingHostRefusedError extends CodedError {
  readonly code = 'recording_host_refused';
}

interface Asked {
  settings: Pick<GatewaySettings, 'url' | 'recordingHosts'>;
  call: Pick<CallReference, 'callId' | 'recordingUrl'>;
  signal: AbortSignal;
  sign: (messageId: string) => SignatureHeaders;
}

/**
 * Opens the audio at the URL that the gateway sent, from allowed hosts only. Learns the size by a request for the first byte, because a signed URL of
 * an object store does not accept HEAD. Null if there is no recording yet.
 * @throws RecordingHostRefusedError, RecordingUnavailableError, or the connection's own error
 */
export async function openGatewayRecording({
  settings,
  call,
  signal,
  sign,
}: Asked): Promise<Recording | null> {
  if (call.recordingUrl === null) return null;
  const url = new URL(call.recordingUrl);
  const decision = decideHost(url, settings.recordingHosts);
  if (decision.kind === 'refused') {
    throw new RecordingHostRefusedError('The recording is on a host that is not allowed', {
      internal: `the recording is on ${url.host}, which recording_hosts of the provider does not allow`,
    });
  }
  const isGateway = url.origin === new URL(settings.url).origin;
  const get = (range: string | null) =>
    openAudio({
      url,
      signal,
      publicOnly: decision.kind === 'pattern',
      // Only the gateway itself may see our signature.
      headers: {
        ...(isGateway && sign(`recording_${call.callId}_${randomUUID()}`)),
        ...(range !== null && { range }),
      },
    });

  return openRangedAudio(get);
}
