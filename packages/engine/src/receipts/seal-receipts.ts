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
} from '@outdial/db';
import type { Db, Executor, SealedText } from '@outdial/db';
import { leafHash, pathOf, rootOf } from './merkle-tree.ts';

/** A day with more receipts has several seals. */
const leavesAtMost = 4_096;

/** Seals the next receipts of a day that is over: a signed root of the hash tree over calls and refusals. Each seal names the one before. */
export async function sealReceipts({ db }: { db: Db }): Promise<Swept> {
  return inTransaction(db, async (tx) => {
    const taken = await takeUnsealed(tx, leavesAtMost);
    if (taken === null) return { done: 0, isFull: false };
    const { organizationId, day } = taken;
    const leaves = await readLeaves(tx, taken);
    if (leaves.length === 0) return { done: 0, isFull: true };
    const hashes = leaves.map(({ leaf }) => leafHash(leaf));
    const [before] = await listSeals(tx, { organizationId, page: { limit: 1, after: null } });
    const der = await sealKey(tx, () =>
      generateKeyPairSync('ed25519').privateKey.export({ format: 'der', type: 'pkcs8' }),
    );
    const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
    const number = (before?.number ?? 0) + 1;
    const statement = JSON.stringify({
      v: 1,
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
  const seal = await findSealOf(db, key);
  if (seal === null) return null;
  const ids = [subjectId];
  const [text] = [
    ...(await readLeaves(db, { organizationId, kind: 'calls', ids })),
    ...(await readLeaves(db, { organizationId, kind: 'refusals', ids })),
  ];
  if (text === undefined || text.phone_number === '') return null;
  const { hashes, index, statement, signature } = seal;
  const all = Array.from({ length: hashes.length / 32 }, (_, n) => hashes.subarray(32 * n, 32 * n + 32));
  return { ...text, index, path: pathOf(index, all), statement, signature };
}
