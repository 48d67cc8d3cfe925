import type { FinishReason, Outcome, PublicCallStatus } from '@outdial/core';

/** What a row of the outbox says of a call. Small, and without personal data: a reader looks up the rest. */
export interface CallEventData {
  attempt: number;
  status: PublicCallStatus;
  outcome?: Outcome | undefined;
  started_at?: string | undefined;
  answered_at?: string | undefined;
  ended_at?: string | undefined;
  duration?: number | undefined;
  /** The provider's word, or the engine's reason, for how it ended. */
  external_status?: string | undefined;
  /** Of `call.updated`: what came after the end. */
  changed?: string[] | undefined;
}

export interface RecipientEventData {
  reason: FinishReason;
  outcome: Outcome | null;
  attempts: number;
  round: number;
}

interface OfCall {
  organizationId: string;
  campaignId: string | null;
  recipientId: string | null;
  callId: string;
  data: CallEventData;
}

interface OfRecipient {
  organizationId: string;
  campaignId: string;
  recipientId: string;
  data: RecipientEventData;
}

/** A row to write. `type` is what callers subscribe to. */
export type OutboxEvent =
  | ({ type: 'call.started' | 'call.answered' | 'call.ended' | 'call.updated' } & OfCall)
  | ({ type: 'recipient.finished' } & OfRecipient);
