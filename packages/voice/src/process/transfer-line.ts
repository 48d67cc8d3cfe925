import type { Db, VoiceCall } from '@outdial/db';
import { beginTransfer, endTransfer } from '@outdial/engine';
import type { CallNotes } from '../call/call-notes.ts';
import type { TransferLine } from '../call/call-line.ts';

/** The second line of a call, counted by the engine. */
export function createTransferLine(
  call: Pick<VoiceCall, 'id' | 'organizationId'>,
  deps: { db: Db; notes: CallNotes; log: { warn(fields: object, message: string): void } },
): TransferLine {
  const { db, notes, log } = deps;
  const scope = { organizationId: call.organizationId, callId: call.id };
  return {
    async reserve({ target, to, mode }) {
      const refusal = await beginTransfer(db, { ...scope, toPhone: to });
      if (refusal === null) notes.add({ type: 'transfer_begun', target, mode });
      return refusal;
    },
    release: () =>
      endTransfer(db, scope).catch((error: unknown) =>
        log.warn(
          { err: error, call_id: call.id },
          'the line of a transfer stays reserved until the call ends',
        ),
      ),
  };
}
