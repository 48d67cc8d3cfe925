import { createHash, randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { decideFileKind, fileHeadBytes, type FileKindDecision, type FileStore } from '@outdial/core';
import { abandonUpload, type Db, forgetFile, isFileRemovable, registerUpload } from '@outdial/db';

/** A received file. Its first bytes decide whether it is stored. */
export interface ReceivedFile {
  kind: FileKindDecision;
  /** Null if it was read and discarded. */
  stored: { key: string; sizeBytes: number; sha256: Buffer } | null;
}

export interface FileReception {
  db: Db;
  files: FileStore;
  organizationId: string;
}

/** Streams a file to the store while it arrives. Leaves nothing behind if it rejects. */
export async function receiveFile(stream: Readable, reception: FileReception): Promise<ReceivedFile> {
  const chunks: AsyncIterator<Buffer> = stream[Symbol.asyncIterator]();
  const { head, ended } = await readHead(chunks);
  const kind = decideFileKind(Buffer.concat(head).subarray(0, fileHeadBytes));
  if (kind.kind === 'refused') {
    // Reads on, so that faults in the rest of the form are found.
    while (!ended && !(await chunks.next()).done);
    return { kind, stored: null };
  }
  const { db, files, organizationId } = reception;
  const key = `${organizationId}/${randomUUID()}`;
  await registerUpload(db, organizationId, key);
  const hash = createHash('sha256');
  let sizeBytes = 0;
  async function* measured(): AsyncGenerator<Buffer> {
    const measure = (chunk: Buffer) => {
      hash.update(chunk);
      sizeBytes += chunk.length;
      return chunk;
    };
    for (const chunk of head) yield measure(chunk);
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield measure(next.value);
  }
  try {
    await files.write(key, measured());
  } catch (error) {
    await discardUpload({ db, files }, key);
    throw error;
  }
  return { kind, stored: { key, sizeBytes, sha256: hash.digest() } };
}

async function readHead(chunks: AsyncIterator<Buffer>): Promise<{ head: Buffer[]; ended: boolean }> {
  const head: Buffer[] = [];
  for (let length = 0; length < fileHeadBytes;) {
    const next = await chunks.next();
    if (next.done) return { head, ended: true };
    head.push(next.value);
    length += next.value.length;
  }
  return { head, ended: false };
}

/** Removes an upload that no item refers to. If this fails, a sweep does it. */
export async function discardUpload({ db, files }: { db: Db; files: FileStore }, key: string): Promise<void> {
  try {
    await abandonUpload(db, key);
    await removeFiles({ db, files }, [key]);
  } catch {
    // The key is registered, so the scheduler's sweep finds it.
  }
}

/** Removes the bytes of files that nothing in the database refers to. */
export async function removeFiles(
  { db, files }: { db: Db; files: FileStore },
  keys: readonly string[],
): Promise<void> {
  for (const key of keys) {
    if (!(await isFileRemovable(db, key))) continue;
    await files.remove(key);
    await forgetFile(db, key);
  }
}
