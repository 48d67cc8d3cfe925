import type { DeleteRecordingResult, Recording } from '@outdial/core';
import { CodedError } from '@outdial/core';
import type { AriClient } from './ari-client.ts';
import { recordingOf } from './names.ts';

/** Asterisk answered with something other than audio. */
class RecordingUnavailableError extends CodedError {
  readonly code = 'recording_unavailable';
}

/**
 * Opens the recording on the Asterisk that made it. Null if there is none yet. ARI does not support ranges, so the whole file is read and only the
 * range is yielded.
 * @throws RecordingUnavailableError, or the connection's own error
 */
export async function openAsteriskRecording(
  ari: AriClient,
  callId: string,
  signal: AbortSignal,
): Promise<Recording | null> {
  const get = () => ari.open(`/recordings/stored/${recordingOf(callId)}/file`, signal);
  const first = await get();
  const size = Number(first.headers.get('content-length') ?? Number.NaN);
  await first.body?.cancel();
  if (first.status === 404) return null;
  if (!first.ok) throw unavailable(first.status);
  return {
    contentType: 'audio/wav',
    size: Number.isInteger(size) ? size : null,
    async *read(range) {
      const response = await get();
      if (!response.ok || response.body === null) throw unavailable(response.status);
      yield* part(response.body, range);
    },
  };
}

export async function deleteAsteriskRecording(
  ari: AriClient,
  callId: string,
  signal: AbortSignal,
): Promise<DeleteRecordingResult> {
  const answer = await ari.ask({
    method: 'DELETE',
    path: `/recordings/stored/${recordingOf(callId)}`,
    signal,
  });
  switch (answer.kind) {
    case 'done':
      return { kind: 'deleted' };
    case 'refused':
      if (answer.status === 404) return { kind: 'deleted' };
      return {
        // ARI answers 500 while its disk or a module is busy.
        kind: answer.status >= 500 ? 'unreachable' : 'refused',
        reason: `Asterisk answered ${answer.status}`,
      };
    case 'not_ari':
      return { kind: 'unreachable', reason: `http_${answer.status}` };
    case 'not_connected':
    case 'broken':
      return { kind: 'unreachable', reason: answer.reason };
  }
}

/** Yields the range of a body, and stops reading at its end. */
async function* part(
  body: AsyncIterable<Uint8Array>,
  range: { start: number; end: number } | undefined,
): AsyncGenerator<Uint8Array> {
  const start = range?.start ?? 0;
  const end = range?.end ?? Number.POSITIVE_INFINITY;
  let position = 0;
  for await (const chunk of body) {
    const from = Math.max(0, start - position);
    const to = Math.min(chunk.length, end - position + 1);
    position += chunk.length;
    if (from < to) yield chunk.subarray(from, to);
    if (position > end) return;
  }
}

function unavailable(status: number): RecordingUnavailableError {
  return new RecordingUnavailableError('The recording cannot be read', {
    internal: `Asterisk answered ${status}`,
  });
}
