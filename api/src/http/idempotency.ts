import { createHash } from 'node:crypto';
import { type Clock, ConflictError } from '@outdial/core';
import {
  auditCreated,
  claimIdempotencyKey,
  type Db,
  type IdempotentRequest,
  inTransaction,
  type JsonObject,
  saveIdempotentResponse,
  type Tx,
} from '@outdial/db';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { MalformedRequestError, RetryLaterError } from './errors.ts';
import type { Principal } from './principal.ts';

/** For the `headers` of a route that takes the key. */
export const idempotencyHeader = {
  'Idempotency-Key': {
    description:
      'Any string of 1 to 255 visible ASCII characters. For 24 hours, a request with the same key and the same body returns the first response again, with `Idempotent-Replayed: true`. With another body, it returns 409.',
  },
};

/** The parts of a request that `once` needs; a handler passes its whole request. */
interface OneRequest {
  req: Request;
  res: Response;
  principal: Principal;
  body: unknown;
}

const askAgainSeconds = 1;
const visibleText = /^[\x21-\x7e]{1,255}$/;

export interface Once<Kept extends object> {
  /** The data to store for repeated requests: the answer, or the parts to rebuild it. */
  kept: Kept;
  /** Publishes jobs after the commit. Not called for repeated requests. */
  afterCommit?: () => Promise<void>;
}

/**
 * Runs `work` in a transaction, once for each `Idempotency-Key`. A repeated request gets the stored result of the first one, parsed by
 * `answer`, and the header `Idempotent-Replayed`. Without a key, `work` always runs. If it throws, nothing is stored, so a request can be
 * retried after a 5xx.
 *
 * @throws ConflictError if the key was used with another body
 * @throws RetryLaterError (409) while the first request with this key is running
 */
export async function once<Kept extends object>(
  { db, clock }: { db: Db; clock: Clock },
  oneRequest: OneRequest,
  answer: z.ZodType<Kept>,
  work: (tx: Tx) => Promise<Once<Kept>>,
): Promise<Kept> {
  const now = clock.now();
  const request = idempotentRequest(oneRequest);
  const { kept, afterCommit, replayed } = await inTransaction<Done<Kept>>(db, async (tx) => {
    const known = request === null ? null : await findSavedResponse(tx, request, now);
    if (known !== null) {
      return { kept: answer.parse(known), replayed: true };
    }
    const done = await work(tx);
    const made = withDataId.safeParse(done.kept);
    if (made.success) auditCreated(made.data.data.id);
    if (request !== null) {
      await saveIdempotentResponse(tx, request, done.kept, now);
    }
    return done;
  });
  await afterCommit?.();
  if (replayed === true) {
    oneRequest.res.setHeader('Idempotent-Replayed', 'true');
  }
  return kept;
}

const withDataId = z.object({ data: z.object({ id: z.string() }) });

interface Done<Kept extends object> extends Once<Kept> {
  replayed?: true;
}

/** The stored answer of the request. Null for the first request with this key, which makes others with it wait until this transaction ends. */
async function findSavedResponse(tx: Tx, request: IdempotentRequest, now: Date): Promise<JsonObject | null> {
  const claim = await claimIdempotencyKey(tx, request, now);
  switch (claim.kind) {
    case 'first':
      return null;
    case 'replay':
      return claim.response;
    case 'other_body':
      throw new ConflictError(
        'idempotency_key_reused',
        'This Idempotency-Key was already used for a request with another body',
      );
    case 'running':
      throw new RetryLaterError(
        409,
        'idempotency_key_in_use',
        'The first request with this Idempotency-Key is still running',
        { retryAfterSeconds: askAgainSeconds },
      );
    default:
      return claim satisfies never;
  }
}

/** The key of a request with a hash of its content; null without a key. */
function idempotentRequest({ req, principal, body }: OneRequest): IdempotentRequest | null {
  const key = req.headers['idempotency-key'];
  if (key === undefined) {
    return null;
  }
  if (typeof key !== 'string' || !visibleText.test(key)) {
    throw new MalformedRequestError(
      'invalid_idempotency_key',
      'Idempotency-Key must have 1 to 255 visible ASCII characters',
    );
  }
  return {
    organizationId: principal.organizationId,
    method: req.method,
    // Both forms of a path are the same operation.
    path: req.path.toLowerCase().replace(/\/$/, ''),
    key,
    bodyHash: hashOf(body),
  };
}

/** Equal for any order of an object's fields, because the order has no meaning. */
function hashOf(body: unknown): Buffer {
  const text = JSON.stringify(body, (_key, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
  return createHash('sha256')
    .update(text ?? '')
    .digest();
}
