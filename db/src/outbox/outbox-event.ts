import type { FinishReason, Outcome, PublicCallStatus } from '@outdial/core';

/** The data of a call's outbox row. Small, and without personal data: a reader looks up the rest. */
export interface CallEventData {
  attempt: number;
  status: PublicCallStatus;
  outcome?: Outcome | undefined;
  started_at?: string | undefined;
  answered_at?: string | undefined;
  ended_at?: string | undefined;
  duration?: number | undefined;
  /** The provider's status, or the engine's reason, for the end. */
  external_status?: string | undefined;
  /** For `call.updated`: the fields that changed after the end. */
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

/** A row to write. Callers subscribe to its `type`. */
export type OutboxEvent =
  | ({ type: 'call.started' | 'call.answered' | 'call.ended' | 'call.updated' } & OfCall)
  | ({ type: 'recipient.finished' } & OfRecipient);
