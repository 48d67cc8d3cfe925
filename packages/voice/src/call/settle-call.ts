export interface CallSteps<Results> {
  /** Saves the transcript and reports the end of the call. */
  end: () => Promise<void>;
  /** Returns the URL of the stored recording; null if there is none. */
  storeRecording: () => Promise<string | null>;
  wrapUp: () => Promise<Results>;
  record: (results: Results, recordingUrl: string | null) => Promise<void>;
  /** Whether the call's record names the recording. Otherwise neither erasure nor retention would find it. */
  isRecordingKnown: () => Promise<boolean>;
  removeRecording: () => Promise<void>;
  release: () => Promise<void>;
}

/** Runs every step whose inputs exist, even if others fail. Then throws the error of the step that failed. */
export async function settleCall<Results>(steps: CallSteps<Results>): Promise<void> {
  let recordingUrl: string | null = null;
  try {
    await steps.end();
  } finally {
    try {
      const results = steps.wrapUp();
      // The wrap-up may fail before the recording is stored, while nothing awaits it.
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
