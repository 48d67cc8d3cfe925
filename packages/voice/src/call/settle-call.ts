/** The steps after a conversation, in order. */
export interface CallSteps<Results> {
  /** Saves the transcript and reports the end of the call. */
  end: () => Promise<void>;
  /** Returns where the recording is stored; null if there is none. */
  storeRecording: () => Promise<string | null>;
  /** Makes the extract and the summary. */
  wrapUp: () => Promise<Results>;
  record: (results: Results, recordingUrl: string | null) => Promise<void>;
  /** Whether the call's record names the recording. Otherwise neither erasure nor retention would find it. */
  isRecordingKnown: () => Promise<boolean>;
  removeRecording: () => Promise<void>;
  /** Frees what the call has reserved. */
  release: () => Promise<void>;
}

/** Runs all steps whose inputs exist, even if others fail, and then throws the error of the one that failed. */
export async function settleCall<Results>(steps: CallSteps<Results>): Promise<void> {
  let recordingUrl: string | null = null;
  try {
    await steps.end();
  } finally {
    try {
      const results = steps.wrapUp();
      // It may fail before the recording is stored.
      results.catch(() => undefined);
      recordingUrl = await steps.storeRecording();
      await steps.record(await results, recordingUrl);
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
