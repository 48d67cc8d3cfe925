import { type Db, releaseRecording, hasRoomToRecord, reserveRecording, type VoiceCall } from '@outdial/db';
import type { FileStore } from '@outdial/core';
import type { CallNotes } from '../call/call-notes.ts';
import { type CallRecorder, recordCall } from '../recorder/call-recorder.ts';

/** Null if the call cannot be recorded, or its organization has no room left: it goes on all the same. */
export async function recorderOfCall(
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
  const onRefused = () => deps.notes.take({ type: 'recording_refused', reason: 'quota_exceeded' });
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
      giveBack: () => releaseRecording(db, callId),
      onRefused,
      log,
    });
  } catch (error) {
    log.warn({ err: error, call_id: callId }, 'a call cannot be recorded');
    return null;
  }
}
