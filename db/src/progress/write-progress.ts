import { storedRecordingBytes } from '@outdial/core';
import { sql, type RawBuilder } from 'kysely';
import { anyLength } from '../postgres/any-length.ts';
import { deferred } from '../postgres/deferred.ts';
import { markRecorded } from '../recordings/stored-recordings.ts';
import type { CallEvent } from '../schema/calls.ts';
import type { Tx } from '../transaction.ts';
import type { LockedCall } from './attempt-rows.ts';
import { changedRecipients, type RecipientChange } from '../campaigns/recipient-change.ts';

export interface CallChange {
  call: LockedCall;
  /** Appended to the existing events. */
  newEvents: readonly CallEvent[];
}

/** Updates locked calls and their recipients in one statement, which is sent with the next one or the commit, and marks their stored recordings. */
export async function writeProgress(
  tx: Tx,
  changes: { calls: readonly CallChange[]; recipients: readonly RecipientChange[] },
): Promise<void> {
  if (changes.calls.length > 0) await deferred(progressStatement(changes), tx);
  const recorded = changes.calls.filter(
    ({ call }) => call.recording_url !== null && storedRecordingBytes(call.recording_url) !== null,
  );
  if (recorded.length > 0) {
    await markRecorded(
      tx,
      recorded.map(({ call }) => call.id),
    );
  }
}

/** Exported for the warm-up. */
export function progressStatement(changes: {
  calls: readonly CallChange[];
  recipients: readonly RecipientChange[];
}): RawBuilder<unknown> {
  const { calls, recipients } = changes;
  const callIds = calls.map(({ call }) => call.id);
  return sql`
    with ${changedRecipients(recipients)}
    update calls c
    set phase = x.phase, outcome = x.outcome, conversation_id = x.conversation_id, transcript = x.transcript,
        duration_seconds = x.duration_seconds, cost = x.cost, recording_url = x.recording_url,
        call_extract = x.call_extract, external_status = x.external_status, events = c.events || x.new_events,
        accepted_at = x.accepted_at, answered_at = x.answered_at, ended_at = x.ended_at,
        corrected_at = x.corrected_at, check_at = x.check_at, line_held = x.line_held,
        transfer_line = c.transfer_line and x.phase <> 'ended',
        queue_deadline_at = case when x.phase = 'ended' then null else c.queue_deadline_at end
    from jsonb_to_recordset(${JSON.stringify(calls.map(callRow))}::jsonb) as x(
      id uuid, phase text, outcome text, conversation_id text, transcript text, duration_seconds int, cost numeric,
      recording_url text, call_extract jsonb, external_status text, new_events jsonb, accepted_at timestamptz,
      answered_at timestamptz, ended_at timestamptz, corrected_at timestamptz, check_at timestamptz,
      line_held boolean)
    where c.id = any(${anyLength(callIds, 'uuid')}) and c.id = x.id`;
}

const writtenColumns = [
  'id',
  'phase',
  'outcome',
  'conversation_id',
  'transcript',
  'duration_seconds',
  'cost',
  'recording_url',
  'call_extract',
  'external_status',
  'accepted_at',
  'answered_at',
  'ended_at',
  'corrected_at',
  'check_at',
  'line_held',
] as const satisfies ReadonlyArray<keyof LockedCall>;

/** Omits null fields, which the statement reads as null, because most fields of hundreds of calls are null. */
function callRow({ call, newEvents }: CallChange): object {
  const written = writtenColumns.map((column) => [column, call[column] ?? undefined] as const);
  return { ...Object.fromEntries(written), new_events: newEvents };
}
