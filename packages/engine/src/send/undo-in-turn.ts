import {
  engineNow,
  inTransaction,
  saveCallCheck,
  undoAttempt,
  undoUnlessHeld,
  type AttemptToUndo,
  type UndoneAttempt,
} from '@outdial/db';
import { heldCheckMs } from '../timing.ts';
import type { SendDeps } from './gated-call.ts';

/** Undoes an attempt, as `undoAttempt` does. One whose campaign is being changed waits for its organization's turn, without a connection. */
export async function undoInTurn(
  deps: Pick<SendDeps, 'db' | 'held'>,
  organizationId: string,
  attempt: AttemptToUndo,
): Promise<UndoneAttempt | null> {
  const undone = await inTransaction(deps.db, (tx) => undoUnlessHeld(tx, attempt));
  if (undone !== 'held') return undone;
  // A look-up that came first would take it for a call that may have been made.
  const now = await engineNow(deps.db);
  await saveCallCheck(deps.db, attempt.callId, new Date(now.getTime() + heldCheckMs));
  return deps.held.run(organizationId, () => inTransaction(deps.db, (tx) => undoAttempt(tx, attempt)));
}
