import { type FileStore, type Recording, recordingKey } from '@outdial/core';

export function storedRecording(files: FileStore, callId: string, size: number): Recording {
  return {
    contentType: 'audio/wav',
    size,
    read: (range = { start: 0, end: size - 1 }) => files.read(recordingKey(callId), range),
  };
}
