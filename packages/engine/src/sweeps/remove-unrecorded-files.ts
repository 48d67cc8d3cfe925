import { recordingKey, type Swept } from '@outdial/core';
import { forgetRecording, takeUnrecordedFiles } from '@outdial/db';
import type { DialingDeps } from '../deps.ts';

const batch = 20;

/**
 * Removes recordings that were stored and that no record names: the process that stored them died in between, or the person was erased. Erasure and
 * retention would not find them. Runs in workers, because it needs the file store.
 */
export async function removeUnrecordedFiles(deps: Pick<DialingDeps, 'db' | 'files' | 'log'>): Promise<Swept> {
  const { db, files, log } = deps;
  if (files === undefined) return { done: 0, isFull: false };
  const callIds = await takeUnrecordedFiles(db, batch);
  let done = 0;
  for (const callId of callIds) {
    try {
      await files.remove(recordingKey(callId));
      await forgetRecording(db, callId);
      done += 1;
    } catch (error) {
      log.warn({ err: error, call_id: callId }, 'a recording that no record names could not be removed yet');
    }
  }
  return { done, isFull: done === batch };
}
