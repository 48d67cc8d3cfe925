import { ConflictError, type InboundRefusal, refusalOfFurtherCall } from '@outdial/core';
import {
  countInboundCalls,
  type Db,
  engineNow,
  type Executor,
  findInboundCall,
  insertInboundCall,
  inTransaction,
  lockLineCaps,
  type NewInboundCall,
  takeOrganizationLine,
  takeProviderLine,
  tryLockInboundCalls,
  type Tx,
} from '@outdial/db';
import { setTimeout as sleep } from 'node:timers/promises';
import { requireCallsLeft } from '../gate/quotas.ts';
import { moveCalls } from '../progress/move-calls.ts';
import type { Candidate } from './inbound-agent.ts';
import type { MediaRuntimes } from '../deps.ts';
import type { ProgressDeps } from '../progress/apply-reports.ts';

export interface InboundDeps extends ProgressDeps {
  /** Without it every call is refused. */
  mediaRuntimes?: MediaRuntimes;
}

export interface NotBegun {
  refused: InboundRefusal;
  lockTimedOut?: true;
}
type Begun = { callId: string } | NotBegun;

/** Rolls the transaction back. */
class NotAnsweredError extends Error {
  readonly code: InboundRefusal;

  constructor(code: InboundRefusal) {
    super(`an inbound call is refused: ${code}`);
    this.name = 'NotAnsweredError';
    this.code = code;
  }
}

/** Inserts the call and takes its lines in one transaction. */
export async function beginInboundCall(
  deps: InboundDeps,
  call: NewInboundCall,
  agent: Candidate,
): Promise<Begun> {
  try {
    const begun = await withInboundLock<Begun>(deps.db, call.organizationId, {
      before: () => judge(deps.db, call, agent),
      work: async (tx) => (await judge(tx, call, agent)) ?? (await beginIn(tx, deps, call, agent)),
    });
    return begun ?? { refused: 'too_many_inbound_calls', lockTimedOut: true };
  } catch (error) {
    if (error instanceof NotAnsweredError) return { refused: error.code };
    if (error instanceof ConflictError && error.code === 'quota_exceeded') {
      return { refused: 'quota_exceeded' };
    }
    throw error;
  }
}

/** Finds the call if the carrier has reported it before, or the reason to refuse it; else null. */
async function judge(db: Executor, call: NewInboundCall, { context }: Candidate): Promise<Begun | null> {
  const before = await findInboundCall(db, call);
  if (before !== null) return before.isOver ? { refused: 'call_over' } : { callId: before.id };
  const refused = refusalOfFurtherCall(await countInboundCalls(db, call), context.limits.inbound);
  return refused === null ? null : { refused };
}

async function beginIn(
  tx: Tx,
  deps: InboundDeps,
  call: NewInboundCall,
  agent: Candidate,
): Promise<{ callId: string }> {
  const { organizationId, provider } = call;
  await lockLineCaps(tx);
  await requireCallsLeft(tx, organizationId, agent.context.limits);
  // Before the call, as in gates: an insert waits for that of another call with the same number, which has locked these rows.
  if (!(await takeOrganizationLine(tx, organizationId))) throw new NotAnsweredError('no_line_free');
  if (!(await takeProviderLine(tx, { organizationId, provider }))) throw new NotAnsweredError('no_line_free');
  const callId = await insertInboundCall(tx, call);
  if (callId === null) throw new NotAnsweredError('number_in_call');
  const at = await engineNow(tx);
  const accepted = { conversationId: call.conversationId };
  await moveCalls(tx, deps, [
    { callId, accepted, facts: [{ kind: 'ringing', eventId: `${callId}:ringing`, at }] },
  ]);
  return { callId };
}

/** Takes about two seconds in all. */
const triesAtMost = 13;
const waitMs = 50;

/**
 * Runs `work` in a transaction with the lock for inbound calls of the organization; null if the lock stays busy. Polls, so that no connection
 * is held while waiting. `before` may settle the call without the lock before each try.
 */
export async function withInboundLock<T>(
  db: Db,
  organizationId: string,
  { before, work }: { before: () => Promise<T | null>; work: (tx: Tx) => Promise<T> },
): Promise<T | null> {
  for (let tried = 1; tried <= triesAtMost; tried += 1) {
    const settled = await before();
    if (settled !== null) return settled;
    const done = await inTransaction(db, async (tx) =>
      (await tryLockInboundCalls(tx, organizationId)) ? { result: await work(tx) } : null,
    );
    if (done !== null) return done.result;
    await sleep(Math.random() * waitMs * tried);
  }
  return null;
}
