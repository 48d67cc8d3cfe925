import { type FileStore, type Recording, recordingKey } from '@outdial/core';

/** A recording of a voice process in the file store, which gives whole files: a part of it is cut out on the way. */
export function storedRecording(files: FileStore, callId: string, size: number): Recording {
  return {
    contentType: 'audio/wav',
    size,
    async *read(range) {
      const from = range?.start ?? 0;
      const to = range?.end ?? size - 1;
      let position = 0;
      for await (const chunk of files.read(recordingKey(callId))) {
        const piece = chunk.subarray(Math.max(0, from - position), Math.max(0, to + 1 - position));
        position += chunk.length;
        if (piece.length > 0) yield piece;
        if (position > to) return;
      }
    },
  };
}
