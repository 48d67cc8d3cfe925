import { recordingKey, type Swept } from '@outdial/core';
import { releaseRecording, takeUnrecordedFiles } from '@outdial/db';
import type { DialingDeps } from '../deps.ts';

const batch = 200;
/** As many requests as a file store can answer concurrently. */
const filesAtOnce = 20;

type Deps = Pick<DialingDeps, 'db' | 'files' | 'log'>;

/**
 * Removes stored recordings that no call refers to, because the process died after storing one or the person was erased. Erasure and retention
 * would not find them. Runs in workers, because it needs the file store.
 */
export async function removeUnrecordedFiles(deps: Deps): Promise<Swept> {
  const { db, files } = deps;
  if (files === undefined) return { done: 0, isFull: false };
  const { looked, callIds } = await takeUnrecordedFiles(db, batch);
  let done = 0;
  for (let at = 0; at < callIds.length; at += filesAtOnce) {
    const removed = await Promise.all(
      callIds.slice(at, at + filesAtOnce).map((callId) => removeFile(deps, files, callId)),
    );
    done += removed.filter((isRemoved) => isRemoved).length;
  }
  return { done, isFull: looked === batch };
}

async function removeFile(
  { db, log }: Deps,
  files: NonNullable<Deps['files']>,
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
