import { type DeleteRecordingResult, recordingKey, storedRecordingBytes, type Swept } from '@outdial/core';
import {
  finishRecordingDeletion,
  releaseRecording,
  saveRecordingDeletionFailure,
  takeRecordingDeletions,
  type RecordingDeletion,
} from '@outdial/db';
import type { SendDeps } from '../send/gated-call.ts';
import { withDeadline } from '../send/with-deadline.ts';
import { questionMs } from '../timing.ts';

/** As many requests as a provider can answer within their deadline. */
const batch = 20;
/** About four days. After that an operator has to check. */
const triesAtMost = 24;

/** Deletes recordings at their providers after an erasure or the end of retention. Runs in workers, because it needs adapters. */
export async function deleteRecordings(
  deps: Pick<SendDeps, 'db' | 'files' | 'log' | 'providers'>,
): Promise<Swept> {
  const due = await takeRecordingDeletions(deps.db, batch);
  await Promise.all(due.map((deletion) => deleteRecording(deps, deletion)));
  return { done: due.length, isFull: due.length === batch };
}

async function deleteRecording(
  deps: Pick<SendDeps, 'db' | 'files' | 'log' | 'providers'>,
  deletion: RecordingDeletion,
): Promise<void> {
  const { callId } = deletion;
  const result = await removeRecording(deps, deletion);
  if (result.kind === 'deleted') return finishRecordingDeletion(deps.db, callId);
  const isLast = result.kind === 'refused' || deletion.tries >= triesAtMost;
  await saveRecordingDeletionFailure(deps.db, { callId, error: result.reason, isLast });
  const fields = {
    call_id: callId,
    provider: deletion.provider,
    reason: result.reason,
    tries: deletion.tries,
  };
  if (isLast) deps.log.error(fields, 'could not delete a recording at its provider: delete it manually');
  else deps.log.warn(fields, 'could not delete a recording at its provider; will retry');
}

async function removeRecording(
  deps: Pick<SendDeps, 'db' | 'files' | 'providers'>,
  deletion: RecordingDeletion,
): Promise<DeleteRecordingResult> {
  const { callId, organizationId, conversationId, recordingUrl, attempt, gatedAt, now } = deletion;
  if (storedRecordingBytes(recordingUrl) !== null) {
    if (deps.files === undefined) return { kind: 'refused', reason: 'there is no file store' };
    try {
      await deps.files.remove(recordingKey(callId));
      await releaseRecording(deps.db, callId);
      return { kind: 'deleted' };
    } catch (error) {
      return {
        kind: 'unreachable',
        reason: error instanceof Error ? error.message : 'the file store failed',
      };
    }
  }
  const provider = deps.providers.get(deletion.provider);
  const remove = provider?.deleteRecording?.bind(provider);
  const reference = {
    callId,
    organizationId,
    conversationId,
    recordingUrl,
    attempt,
    gatedAt,
    now,
    toPhone: '',
    systemPrompt: '',
  };
  return remove
    ? withDeadline(questionMs, (signal) => remove(reference, signal))
    : { kind: 'refused', reason: 'the provider cannot delete recordings' };
}
