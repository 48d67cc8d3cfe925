import { type Swept, type DeleteRecordingResult, recordingKey, storedRecordingBytes } from '@outdial/core';
import {
  enforceRetention as enforceIn,
  eraseDeletedCampaign,
  finishRecordingDeletion,
  type RecordingDeletion,
  releaseRecording,
  saveRecordingDeletionFailure,
  takeRecordingDeletions,
  takeUnrecordedFiles,
} from '@outdial/db';
import type { ControlDeps, DialingDeps } from '../deps.ts';
import type { SendDeps } from '../send/gated-call.ts';
import { withDeadline } from '../send/with-deadline.ts';
import { questionMs } from '../timing.ts';

const batch = 1_000;

export async function enforceRetention(deps: Pick<ControlDeps, 'db' | 'log'>): Promise<Swept> {
  const done = await enforceIn(deps.db, { limit: batch });
  if (done === null) return { done: 0, isFull: false };
  if (done.done > 0) {
    const { kind, organizationId, done: rows } = done;
    deps.log.info({ organization_id: organizationId, kind, rows }, 'data past its retention was deleted');
  }
  return { done: done.done, isFull: done.hasMore };
}

const recipientsErased = 5_000;

/** Erases recipients of deleted campaigns that no call refers to, in batches of one campaign. */
export async function eraseDeletedCampaigns(deps: ControlDeps): Promise<Swept> {
  const erased = await eraseDeletedCampaign(deps.db, recipientsErased);
  return { done: erased ?? 0, isFull: erased !== null };
}

/** As many requests as a provider can answer within their deadline. */
const recordingsAtOnce = 20;
/** About four days. After that an operator has to check. */
const triesAtMost = 24;

/** Deletes recordings at their providers after an erasure or the end of retention. Runs in workers, because it needs adapters. */
export async function deleteRecordings(
  deps: Pick<SendDeps, 'db' | 'files' | 'log' | 'providers'>,
): Promise<Swept> {
  const due = await takeRecordingDeletions(deps.db, recordingsAtOnce);
  await Promise.all(due.map((deletion) => deleteRecording(deps, deletion)));
  return { done: due.length, isFull: due.length === recordingsAtOnce };
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
  const { callId, recordingUrl } = deletion;
  if (storedRecordingBytes(recordingUrl) !== null) {
    if (deps.files === undefined) return { kind: 'unreachable', reason: 'there is no file store' };
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
  // Another worker may have it, or this one after a restart.
  if (provider === undefined) return { kind: 'unreachable', reason: 'no_adapter' };
  const remove = provider.deleteRecording?.bind(provider);
  const reference = { ...deletion, toPhone: '', systemPrompt: '' };
  return remove
    ? withDeadline(questionMs, (signal) => remove(reference, signal))
    : { kind: 'refused', reason: 'the provider cannot delete recordings' };
}

const filesLookedAt = 200;
/** As many requests as a file store can answer concurrently. */
const filesAtOnce = 20;

type FileDeps = Pick<DialingDeps, 'db' | 'files' | 'log'>;

/**
 * Removes stored recordings that no call refers to, because the process died after storing one or the person was erased. Erasure and retention
 * would not find them. Runs in workers, because it needs the file store.
 */
export async function removeUnrecordedFiles(deps: FileDeps): Promise<Swept> {
  const { db, files } = deps;
  if (files === undefined) return { done: 0, isFull: false };
  const { looked, callIds } = await takeUnrecordedFiles(db, filesLookedAt);
  let done = 0;
  for (let at = 0; at < callIds.length; at += filesAtOnce) {
    const removed = await Promise.all(
      callIds.slice(at, at + filesAtOnce).map((callId) => removeFile(deps, files, callId)),
    );
    done += removed.filter((isRemoved) => isRemoved).length;
  }
  return { done, isFull: looked === filesLookedAt };
}

async function removeFile(
  { db, log }: FileDeps,
  files: NonNullable<FileDeps['files']>,
  callId: string,
): Promise<boolean> {
  try {
    await files.remove(recordingKey(callId));
    await releaseRecording(db, callId);
    return true;
  } catch (error) {
    log.warn(
      { err: error, call_id: callId },
      'could not remove a recording that no call refers to; will retry',
    );
    return false;
  }
}
