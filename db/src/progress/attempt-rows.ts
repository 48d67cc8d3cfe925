import type { CallPhase, CampaignPurpose, Outcome } from '@outdial/core';
import type { CallEvent } from '../schema/calls.ts';
import type { JsonObject } from '../schema/columns.ts';
import { type RulesOfCampaign, type RulesRow, toRules } from '../campaigns/campaign-rules.ts';

export interface LockedCall {
  id: string;
  organizationId: string;
  campaignId: string | null;
  recipientId: string | null;
  attempt: number;
  /** Null for a direct call, and for calls from before rounds were stored. */
  round: number | null;
  roundAttempt: number | null;
  provider: string;
  phase: CallPhase;
  outcome: Outcome | null;
  conversationId: string | null;
  transcript: string | null;
  durationSeconds: number | null;
  cost: string;
  recordingUrl: string | null;
  callExtract: JsonObject | null;
  externalStatus: string | null;
  events: CallEvent[];
  gatedAt: Date | null;
  acceptedAt: Date | null;
  answeredAt: Date | null;
  endedAt: Date | null;
  correctedAt: Date | null;
  checkAt: Date | null;
  lineHeld: boolean;
  /** Of a direct call. */
  purpose: CampaignPurpose | null;
  /** Whether the call has a second line for a transfer. */
  transferLine: boolean;
}

export interface LockedRecipient {
  organizationId: string;
  campaignId: string;
  id: string;
  callingKey: string;
  attempts: number;
  round: number;
  roundAttempts: number;
  firstAttemptAt: Date | null;
  /** The last round that a caller requested. */
  requestedRound: number | null;
  withdrawn: boolean;
  state: string;
  /** The id of the live call. */
  callId: string | null;
}

/** The call and the recipient are locked. */
export interface LockedAttempt {
  call: LockedCall;
  of: { recipient: LockedRecipient; rules: RulesOfCampaign } | null;
}

interface LockedRow {
  now: Date;
  id: string;
  organization_id: string;
  campaign_id: string | null;
  recipient_id: string | null;
  attempt: number;
  round: number | null;
  round_attempt: number | null;
  provider: string;
  phase: CallPhase;
  outcome: Outcome | null;
  conversation_id: string | null;
  transcript: string | null;
  duration_seconds: number | null;
  cost: string;
  recording_url: string | null;
  call_extract: JsonObject | null;
  external_status: string | null;
  events: CallEvent[];
  gated_at: Date | null;
  accepted_at: Date | null;
  answered_at: Date | null;
  ended_at: Date | null;
  corrected_at: Date | null;
  check_at: Date | null;
  line_held: boolean;
  purpose: CampaignPurpose | null;
  transfer_line: boolean;
  capped: boolean;
}

/** Null for a direct call. */
interface RecipientRow {
  r_calling_key: string;
  r_attempts: number;
  r_round: number;
  r_round_attempts: number;
  r_first_attempt_at: Date | null;
  r_requested_round: number | null;
  r_withdrawn_at: Date | null;
  r_state: string;
  r_call_id: string | null;
}

/** Only the first row of each campaign has its rules; they are null on others. */
export type AttemptRow = LockedRow & RecipientRow & (RulesRow | { status: null });

export function toAttempt(row: AttemptRow, rules: Map<string, RulesOfCampaign>): LockedAttempt {
  const call = toCall(row);
  const { campaign_id: campaignId, recipient_id: recipientId } = row;
  if (campaignId === null || recipientId === null) return { call, of: null };
  const ofCampaign = rules.get(campaignId) ?? (row.status && toRules(row));
  if (!ofCampaign) throw new Error('a call of a campaign that has no row');
  rules.set(campaignId, ofCampaign);
  return { call, of: { recipient: toRecipient(row, campaignId, recipientId), rules: ofCampaign } };
}

function toCall(row: LockedRow): LockedCall {
  return {
    id: row.id,
    organizationId: row.organization_id,
    campaignId: row.campaign_id,
    recipientId: row.recipient_id,
    attempt: row.attempt,
    round: row.round,
    roundAttempt: row.round_attempt,
    provider: row.provider,
    phase: row.phase,
    outcome: row.outcome,
    conversationId: row.conversation_id,
    transcript: row.transcript,
    durationSeconds: row.duration_seconds,
    cost: row.cost,
    recordingUrl: row.recording_url,
    callExtract: row.call_extract,
    externalStatus: row.external_status,
    events: row.events,
    gatedAt: row.gated_at,
    acceptedAt: row.accepted_at,
    answeredAt: row.answered_at,
    endedAt: row.ended_at,
    correctedAt: row.corrected_at,
    checkAt: row.check_at,
    lineHeld: row.line_held,
    purpose: row.purpose,
    transferLine: row.transfer_line,
  };
}

function toRecipient(
  row: LockedRow & RecipientRow,
  campaignId: string,
  recipientId: string,
): LockedRecipient {
  return {
    organizationId: row.organization_id,
    campaignId,
    id: recipientId,
    callingKey: row.r_calling_key,
    attempts: row.r_attempts,
    round: row.r_round,
    roundAttempts: row.r_round_attempts,
    firstAttemptAt: row.r_first_attempt_at,
    requestedRound: row.r_requested_round,
    withdrawn: row.r_withdrawn_at !== null,
    state: row.r_state,
    callId: row.r_call_id,
  };
}
