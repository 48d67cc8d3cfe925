import { recordingKey, type Swept } from '@outdial/core';
import { releaseRecording, takeUnrecordedFiles } from '@outdial/db';
import type { DialingDeps } from '../deps.ts';

const batch = 200;
/** The number of requests that a file store can answer at once. */
const filesAtOnce = 20;

type Deps = Pick<DialingDeps, 'db' | 'files' | 'log'>;

/**
 * Removes recordings that were stored and that no record names: the process that stored them died in between, or the person was erased. Erasure and
 * retention would not find them. Runs in workers, because it needs the file store.
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
    log.warn({ err: error, call_id: callId }, 'a recording that no record names could not be removed yet');
    return false;
  }
}
