import type { FinishReason, Outcome, PublicCallStatus } from '@outdial/core';

/** The data of a call's outbox row, without personal data. Readers look up the rest. */
export interface CallEventData {
  attempt: number;
  status: PublicCallStatus;
  outcome?: Outcome | undefined;
  started_at?: string | undefined;
  answered_at?: string | undefined;
  ended_at?: string | undefined;
  duration?: number | undefined;
  /** The provider's status or the engine's reason. */
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

/** Callers subscribe to the `type`. */
export type OutboxEvent =
  | ({ type: 'call.started' | 'call.answered' | 'call.ended' | 'call.updated' } & OfCall)
  | ({ type: 'recipient.finished' } & OfRecipient);
