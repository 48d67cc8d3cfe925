import type { CallFact, Outcome } from '@outdial/core';
import { claimWebCall, type Db, engineNow, findWebCallsToEnd, releaseVoiceCall } from '@outdial/db';
import type { CallReport } from '@outdial/engine';
import type { Retry } from '../with-retries.ts';

type EndDetails = (CallFact & { kind: 'ended' })['details'];

/** Any other reason may quote a model, so the call's record has `agent_ended` instead. */
const statuses: Readonly<Record<string, string>> = {
  left: 'person_left',
  process_ended: 'process_ended',
  hung_up: 'hung_up',
};

export type SelfReportedCalls = ReturnType<typeof createSelfReportedCalls>;

/** Reports the events of calls that no carrier reports: calls in browsers, and some incoming calls. */
export function createSelfReportedCalls(args: {
  db: Db;
  processId: string;
  record: (report: CallReport) => Promise<void>;
  retry: Retry;
}) {
  const { db, processId, record, retry } = args;
  const reported = new Set<string>();

  async function end(callId: string, outcome: Outcome, details: EndDetails): Promise<void> {
    await retry(callId, async () => {
      const at = await engineNow(db);
      const fact: CallFact = { kind: 'ended', eventId: `${callId}:ended`, at, outcome, details };
      await record({ callId, withoutAcceptance: true, facts: [fact] });
    });
    reported.delete(callId);
  }

  return {
    /** A browser has connected. True only for the first one, and only at the process that was chosen for the call. */
    async claim(callId: string): Promise<boolean> {
      const isClaimed = await claimWebCall(db, { callId, processId });
      if (isClaimed) reported.add(callId);
      return isClaimed;
    },
    /** From now on, this process reports the events of an incoming call. */
    add: (callId: string) => void reported.add(callId),
    async answered(callId: string): Promise<void> {
      const at = await engineNow(db);
      const fact: CallFact = { kind: 'answered', eventId: `${callId}:answered`, at };
      await record({ callId, accepted: { conversationId: null }, facts: [fact] });
    },
    /** The conversation is over. */
    ended: (
      callId: string,
      { reason, talkMs, transcript }: { reason: string; talkMs: number; transcript: string },
    ) =>
      end(callId, 'completed', {
        externalStatus: statuses[reason] ?? 'agent_ended',
        durationSeconds: Math.round(talkMs / 1_000),
        transcript,
      }),
    /** The connection could not be served. False for a call that a carrier reports. */
    async failed(callId: string): Promise<boolean> {
      if (!reported.has(callId)) return false;
      await end(callId, 'failed', { externalStatus: 'not_carried' });
      await releaseVoiceCall(db, callId);
      return true;
    },
    /** Which of these calls should end. */
    listToEnd: (callIds: readonly string[]) =>
      findWebCallsToEnd(
        db,
        callIds.filter((id) => reported.has(id)),
      ),
  };
}
