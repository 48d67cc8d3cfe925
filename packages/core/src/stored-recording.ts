/**
 * Recordings in the installation's own file store. Their place is kept as other places of recordings are; the key is made from the call
 * alone, so that no word of a provider leads to the file of another call.
 */
const scheme = 'outdial-recording:';

export const recordingKey = (callId: string): string => `recordings/${callId}`;

export const storedRecordingUrl = (bytes: number): string => `${scheme}${bytes}`;

/** The size of the file; null if the recording is somewhere else. */
export function storedRecordingBytes(recordingUrl: string): number | null {
  const bytes = recordingUrl.startsWith(scheme) ? recordingUrl.slice(scheme.length) : '';
  return /^\d{1,12}$/.test(bytes) ? Number(bytes) : null;
}
