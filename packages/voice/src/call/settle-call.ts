/** What is left to do for a call whose conversation is over, in its order. */
export interface CallSteps<Words> {
  /** The call has ended, and all that was said is written. */
  end: () => Promise<void>;
  /** Puts the recording where it is kept; null if there is none. */
  storeRecording: () => Promise<string | null>;
  /** Extract and summary. */
  wrapUp: () => Promise<Words>;
  record: (words: Words, recordingUrl: string | null) => Promise<void>;
  /** Whether the record names a recording: without that neither erasure nor retention finds it. */
  isRecordingKnown: () => Promise<boolean>;
  removeRecording: () => Promise<void>;
  /** Frees what the call has held. */
  release: () => Promise<void>;
}

/** A step that fails stops none that does not need it; its error is thrown in the end. */
export async function settleCall<Words>(steps: CallSteps<Words>): Promise<void> {
  let recordingUrl: string | null = null;
  try {
    await steps.end();
  } finally {
    try {
      const words = steps.wrapUp();
      // It may fail while the recording is still on its way.
      words.catch(() => undefined);
      recordingUrl = await steps.storeRecording();
      await steps.record(await words, recordingUrl);
    } finally {
      try {
        await steps.release();
      } finally {
        // The person was erased meanwhile, or the record could not be written.
        if (recordingUrl !== null && !(await steps.isRecordingKnown())) await steps.removeRecording();
      }
    }
  }
}
