import type { CallFact, Outcome } from '@outdial/core';
import { claimWebCall, type Db, engineNow, findWebCallsToEnd, releaseVoiceCall } from '@outdial/db';
import type { CallReport } from '@outdial/engine';

/** Of calls in browsers, and of some that come in, this process tells the engine what a carrier would tell. */
export interface WebCalls {
  /** A browser has come for the call: true for the first one alone, and only where the call was given to this process. */
  claim(callId: string): Promise<boolean>;
  answered(callId: string): Promise<void>;
  /** A call that came in, over a carrier that may not tell its course: from now on it is told here. */
  adopt(callId: string): void;
  /** The conversation is over. */
  ended(callId: string, end: { reason: string; talkMs: number; transcript: string }): Promise<void>;
  /** A browser that came could not be served. Nothing happens for calls of the telephone. */
  notCarried(callId: string): Promise<void>;
  /** Those of these calls that should end. */
  toEnd(callIds: readonly string[]): Promise<string[]>;
}

/** For the call's record; other reasons may be in the words of a model. */
const statuses: Readonly<Record<string, string>> = {
  left: 'person_left',
  process_ended: 'process_ended',
  hung_up: 'hung_up',
};

export function createWebCalls(args: {
  db: Db;
  processId: string;
  record: (report: CallReport) => Promise<void>;
}): WebCalls {
  const { db, processId, record } = args;
  const claimed = new Set<string>();

  async function end(callId: string, outcome: Outcome, details: EndDetails): Promise<void> {
    const at = await engineNow(db);
    const fact: CallFact = { kind: 'ended', eventId: `${callId}:ended`, at, outcome, details };
    await record({ callId, withoutAcceptance: true, facts: [fact] });
    claimed.delete(callId);
  }

  return {
    async claim(callId) {
      const isOurs = await claimWebCall(db, { callId, processId });
      if (isOurs) claimed.add(callId);
      return isOurs;
    },
    adopt: (callId) => void claimed.add(callId),
    async answered(callId) {
      const at = await engineNow(db);
      const fact: CallFact = { kind: 'answered', eventId: `${callId}:answered`, at };
      await record({ callId, accepted: { conversationId: null }, facts: [fact] });
    },
    ended: (callId, { reason, talkMs, transcript }) =>
      end(callId, 'completed', {
        externalStatus: statuses[reason] ?? 'agent_ended',
        durationSeconds: Math.round(talkMs / 1_000),
        transcript,
      }),
    async notCarried(callId) {
      if (!claimed.has(callId)) return;
      await end(callId, 'failed', { externalStatus: 'not_carried' });
      await releaseVoiceCall(db, callId);
    },
    toEnd: (callIds) =>
      findWebCallsToEnd(
        db,
        callIds.filter((id) => claimed.has(id)),
      ),
  };
}

type EndDetails = (CallFact & { kind: 'ended' })['details'];

/** What admits the pages of these origins; null: all. Programs that are no browsers send none, and could send any. */
export function admitsOrigins(origins: readonly string[] | null): (origin: string | undefined) => boolean {
  return (origin) => origins === null || origin === undefined || origins.includes(origin);
}
