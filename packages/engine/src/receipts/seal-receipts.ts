import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import type { Swept } from '@outdial/core';
import {
  addSeal,
  engineNow,
  findSealOf,
  inTransaction,
  listSeals,
  readLeaves,
  sealKey,
  takeUnsealed,
  type Db,
  type Executor,
  type SealedText,
  type SealVersion,
} from '@outdial/db';

/** A day with more receipts has several seals. */
const leavesAtMost = 4_096;
const newestVersion: SealVersion = 2;
const versionOf = ({ statement }: { statement: string }): SealVersion =>
  statement.startsWith('{"v":1,') ? 1 : newestVersion;

/** Seals the next receipts of a day that is over: a signed root of the hash tree over calls and refusals. Each seal names the one before. */
export async function sealReceipts({ db }: { db: Db }): Promise<Swept> {
  return inTransaction(db, async (tx) => {
    const taken = await takeUnsealed(tx, leavesAtMost);
    if (taken === null) return { done: 0, isFull: false };
    const { organizationId, day } = taken;
    const leaves = await readLeaves(tx, taken, newestVersion);
    if (leaves.length === 0) return { done: 0, isFull: true };
    const hashes = leaves.map(({ leaf }) => leafHash(leaf));
    const [before] = await listSeals(tx, { organizationId, page: { limit: 1, after: null } });
    const der = await sealKey(tx, () =>
      generateKeyPairSync('ed25519').privateKey.export({ format: 'der', type: 'pkcs8' }),
    );
    const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
    const number = (before?.number ?? 0) + 1;
    const statement = JSON.stringify({
      v: newestVersion,
      organization_id: organizationId,
      number,
      day,
      leaves: leaves.length,
      root: rootOf(hashes).toString('hex'),
      previous_sha256: before ? createHash('sha256').update(before.statement).digest('hex') : null,
      sealed_at: (await engineNow(tx)).toISOString(),
      public_key: createPublicKey(key).export({ format: 'der', type: 'spki' }).toString('base64'),
    });
    await addSeal(tx, {
      organizationId,
      day,
      number,
      statement,
      signature: sign(null, Buffer.from(statement), key),
      subjectIds: leaves.map(({ id }) => id),
      hashes: Buffer.concat(hashes),
    });
    return { done: leaves.length, isFull: true };
  });
}

export interface ReceiptProof extends SealedText {
  index: number;
  path: Buffer[];
  statement: string;
  signature: Buffer;
}

/**
 * The leaf of a call, or of a recipient's refusals, as its rows are now, and the path from it to the root that was signed. If the rows have changed, the path does
 * not lead there. Null if there is no seal yet, or if the person was erased.
 */
export async function proveReceipt(
  db: Executor,
  key: { organizationId: string; subjectId: string },
): Promise<ReceiptProof | null> {
  const { organizationId, subjectId } = key;
  const ids = [subjectId];
  const seal = await findSealOf(db, key);
  if (seal === null) return null;
  const version = versionOf(seal);
  const [text] = [
    ...(await readLeaves(db, { organizationId, kind: 'calls', ids }, version)),
    ...(await readLeaves(db, { organizationId, kind: 'refusals', ids }, version)),
  ];
  // Read again: a refusal that came between leaves no seal, or another one.
  if ((await findSealOf(db, key))?.statement !== seal.statement) return null;
  if (text === undefined || text.phone_number === '') return null;
  const { hashes, index, statement, signature } = seal;
  const all = Array.from({ length: hashes.length / 32 }, (_, n) => hashes.subarray(32 * n, 32 * n + 32));
  return { ...text, index, path: pathOf(index, all), statement, signature };
}

/** Hash trees of RFC 6962, section 2.1: leaves are hashed after a byte 0, and pairs of hashes after a byte 1. */
export function leafHash(text: string | Buffer): Buffer {
  return createHash('sha256').update(Buffer.of(0)).update(text).digest();
}

/** The root over hashes of leaves, of which there is at least one. */
export function rootOf(hashes: readonly Buffer[]): Buffer {
  const [only] = hashes;
  if (only !== undefined && hashes.length === 1) return only;
  const half = halfOf(hashes.length);
  return createHash('sha256')
    .update(Buffer.of(1))
    .update(rootOf(hashes.slice(0, half)))
    .update(rootOf(hashes.slice(half)))
    .digest();
}

/** The hashes that lead from a leaf to the root, the nearest first. */
export function pathOf(index: number, hashes: readonly Buffer[]): Buffer[] {
  if (hashes.length <= 1) return [];
  const half = halfOf(hashes.length);
  const left = hashes.slice(0, half);
  const right = hashes.slice(half);
  return index < half
    ? [...pathOf(index, left), rootOf(right)]
    : [...pathOf(index - half, right), rootOf(left)];
}

function halfOf(count: number): number {
  return 2 ** (Math.ceil(Math.log2(count)) - 1);
}
