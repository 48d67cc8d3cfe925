import type { Outcome } from '@outdial/core';
import type { CountedCall, EngineMetrics } from '../deps.ts';
import type { FoldedCall } from './fold-facts.ts';

export interface AnsweredCall extends CountedCall {
  /** From the gate to the answer. */
  waitedMs: number;
}

export interface EndedCall extends CountedCall {
  outcome: Outcome;
  /** From the answer to the outcome; null without an answer, or if the outcome only corrects an earlier one. */
  talkMs: number | null;
}

export function answeredCall({ answered, call }: FoldedCall): AnsweredCall | null {
  if (!answered || call.gated_at === null || call.answered_at === null) return null;
  return { ...counted(call), waitedMs: call.answered_at.getTime() - call.gated_at.getTime() };
}

export function endedCall({ ended, call }: FoldedCall): EndedCall | null {
  if (ended === null) return null;
  const { answered_at: answeredAt, ended_at: endedAt } = call;
  const isTimed = answeredAt !== null && endedAt !== null && !ended.corrected;
  return {
    ...counted(call),
    outcome: ended.outcome,
    talkMs: isTimed ? endedAt.getTime() - answeredAt.getTime() : null,
  };
}

function counted({ provider, organization_id: organizationId }: FoldedCall['call']): CountedCall {
  return { provider, organizationId };
}

export function countMoved(
  metrics: Pick<EngineMetrics, 'callAnswered' | 'callEnded'>,
  moved: { answered: readonly AnsweredCall[]; ended: readonly EndedCall[] },
): void {
  for (const call of moved.answered) metrics.callAnswered?.(call, call.waitedMs);
  for (const call of moved.ended) metrics.callEnded(call.outcome, call, call.talkMs);
}
