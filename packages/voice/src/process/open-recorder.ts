import { type Db, hasRoomToRecord, releaseRecording, reserveRecording, type VoiceCall } from '@outdial/db';
import type { FileStore } from '@outdial/core';
import type { CallNotes } from '../call/call-notes.ts';
import { type CallRecorder, recordCall } from '../recorder/call-recorder.ts';

/** Null if the organization has no space left, or the file cannot be opened: the call goes on without a recording. */
export async function openRecorder(
  { id: callId, organizationId }: Pick<VoiceCall, 'id' | 'organizationId'>,
  deps: {
    db: Db;
    files: FileStore;
    spoolFolder: string;
    longestCallSeconds: number;
    notes: CallNotes;
    log: { warn(fields: object, message: string): void };
  },
): Promise<CallRecorder | null> {
  const { db, files, log } = deps;
  const onRefused = () => deps.notes.add({ type: 'recording_refused', reason: 'quota_exceeded' });
  try {
    if (!(await hasRoomToRecord(db, organizationId))) {
      onRefused();
      return null;
    }
    return await recordCall({
      callId,
      folder: deps.spoolFolder,
      files,
      longestSeconds: deps.longestCallSeconds,
      reserve: (bytes) => reserveRecording(db, { organizationId, callId, bytes }),
      release: () => releaseRecording(db, callId),
      onRefused,
      log,
    });
  } catch (error) {
    log.warn({ err: error, call_id: callId }, 'a call could not be recorded');
    return null;
  }
}
