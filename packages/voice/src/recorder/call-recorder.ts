import { createReadStream } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type FileStore, recordingKey, storedRecordingUrl } from '@outdial/core';
import { frameMs, lineRate } from '../audio/mu-law.ts';
import { wavHeader } from '../audio/samples.ts';
import { createStereoMixer, stereoFrameBytes, type StereoMixer } from './stereo-mixer.ts';

/** Records one call to a file on disk, and stores the file after the call. */
export interface CallRecorder extends Omit<StereoMixer, 'end'> {
  /** Returns the URL of the stored recording. Null if there is none. */
  finish(): Promise<string | null>;
}

const headerBytes = 44;
/** One second. A call buffers two of these chunks, and more if the disk is slow. */
const framesAWrite = 50;
/** A disk that is further behind will not catch up. */
const writesWaiting = 60;
const triesToStore = 3;
const retryAfterMs = 1_000;

export async function recordCall(args: {
  callId: string;
  folder: string;
  files: FileStore;
  longestSeconds: number;
  /** Reserves space before the file is stored, so that a crash leaves no unknown file. False if there is too little space. */
  reserve: (bytes: number) => Promise<boolean>;
  release: () => Promise<void>;
  /** There was too little space. */
  onRefused: () => void;
  log: { warn(fields: object, message: string): void };
}): Promise<CallRecorder> {
  const { callId, files, log } = args;
  const path = join(args.folder, `${callId}.wav`);
  const file = await open(path, 'w', 0o600);
  const framesAtMost = Math.ceil((args.longestSeconds * 1_000) / frameMs);
  let chunk = Buffer.alloc(framesAWrite * stereoFrameBytes);
  let chunkBytes = 0;
  let frames = 0;
  let bytes = 0;
  let waiting = 0;
  let failure: Error | null = null;
  let written: Promise<unknown> = Promise.resolve();

  function writeChunk(): void {
    if (chunkBytes === 0 || failure !== null) return;
    const [full, at] = [chunk.subarray(0, chunkBytes), headerBytes + bytes];
    bytes += chunkBytes;
    chunk = Buffer.alloc(framesAWrite * stereoFrameBytes);
    chunkBytes = 0;
    waiting += 1;
    if (waiting > writesWaiting) failure = new Error('the disk is too slow');
    written = written
      .then(() => (failure === null ? file.write(full, 0, full.length, at) : null))
      .catch((error: unknown) => (failure ??= new Error('the disk failed', { cause: error })))
      .finally(() => (waiting -= 1));
  }

  const mixer = createStereoMixer((frame) => {
    if (frames >= framesAtMost || failure !== null) return;
    frames += 1;
    chunk.set(Buffer.from(frame.buffer), chunkBytes);
    chunkBytes += stereoFrameBytes;
    if (chunkBytes === chunk.length) writeChunk();
  });

  async function store(): Promise<string | null> {
    if (!(await args.reserve(headerBytes + bytes))) {
      args.onRefused();
      return null;
    }
    for (let tries = 1; ; tries += 1) {
      try {
        await files.write(recordingKey(callId), createReadStream(path));
        return storedRecordingUrl(headerBytes + bytes);
      } catch (error) {
        const isRemoved = await files.remove(recordingKey(callId)).then(
          () => true,
          () => false,
        );
        if (tries === triesToStore) {
          // A sweep finds a partial file by its reservation.
          if (isRemoved) await args.release();
          throw error;
        }
        await new Promise((resolve) => setTimeout(resolve, retryAfterMs * tries));
      }
    }
  }

  return {
    begin: (at) => mixer.begin(at),
    person: (frame) => mixer.person(frame),
    agent: (frame, at) => mixer.agent(frame, at),
    dropped: (at) => mixer.dropped(at),
    async finish() {
      try {
        mixer.end();
        writeChunk();
        await written;
        if (failure !== null) throw failure;
        const header = wavHeader(bytes, { rate: lineRate, channels: 2 });
        await file.write(header, 0, headerBytes, 0);
        await file.close();
        return bytes === 0 ? null : await store();
      } catch (error) {
        log.warn({ err: error, call_id: callId }, 'the recording of a call is lost');
        return null;
      } finally {
        await file.close().catch(() => undefined);
        await rm(path, { force: true }).catch(() => undefined);
      }
    },
  };
}
