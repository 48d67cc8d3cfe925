/**
 * Recordings in the installation's own file store. Their location is stored like that of other recordings. The key is derived from the call alone, so
 * that a provider cannot refer to the file of another call.
 */
const scheme = 'outdial-recording:';

export const recordingKey = (callId: string): string => `recordings/${callId}`;

export const storedRecordingUrl = (bytes: number): string => `${scheme}${bytes}`;

/** The size of the file; null if the recording is stored elsewhere. */
export function storedRecordingBytes(recordingUrl: string): number | null {
  const bytes = recordingUrl.startsWith(scheme) ? recordingUrl.slice(scheme.length) : '';
  return /^\d{1,12}$/.test(bytes) ? Number(bytes) : null;
}
