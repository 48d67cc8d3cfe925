import type { Selectable } from 'kysely';
import { type RulesOfCampaign, type RulesRow, toRules } from '../campaigns/campaign-definition.ts';
import type { CallTable } from '../schema/calls.ts';
import type { CampaignRecipientTable } from '../schema/campaigns.ts';

/** The columns of a call that its progress reads. */
export const callColumns = [
  'id',
  'organization_id',
  'campaign_id',
  'recipient_id',
  'attempt',
  'round',
  'round_attempt',
  'provider',
  'phase',
  'outcome',
  'conversation_id',
  'transcript',
  'duration_seconds',
  'cost',
  'recording_url',
  'call_extract',
  'external_status',
  'events',
  'gated_at',
  'accepted_at',
  'answered_at',
  'ended_at',
  'corrected_at',
  'check_at',
  'line_held',
  'purpose',
  'transfer_line',
] as const;

export type LockedCall = Pick<Selectable<CallTable>, (typeof callColumns)[number]>;

type RecipientColumn =
  | 'calling_key'
  | 'attempts'
  | 'round'
  | 'round_attempts'
  | 'first_attempt_at'
  | 'requested_round'
  | 'withdrawn_at'
  | 'state'
  | 'call_id';

export type LockedRecipient = Pick<Selectable<CampaignRecipientTable>, RecipientColumn | 'id'>;

/** The call and the recipient are locked. */
export interface LockedAttempt {
  call: LockedCall;
  of: { recipient: LockedRecipient; rules: RulesOfCampaign } | null;
}

/** Null for a direct call. */
type RecipientRow = { [column in RecipientColumn as `r_${column}`]: LockedRecipient[column] };

/** Only the first row of each campaign has its rules; they are null on others. */
export type AttemptRow = LockedCall & { now: Date; capped: boolean } & RecipientRow &
  (RulesRow | { status: null });

export function toAttempt(row: AttemptRow, rules: Map<string, RulesOfCampaign>): LockedAttempt {
  const { campaign_id: campaignId, recipient_id: id } = row;
  if (campaignId === null || id === null) return { call: row, of: null };
  const ofCampaign = rules.get(campaignId) ?? (row.status && toRules(row));
  if (!ofCampaign) throw new Error('a call of a campaign that has no row');
  rules.set(campaignId, ofCampaign);
  const recipient = {
    id,
    calling_key: row.r_calling_key,
    attempts: row.r_attempts,
    round: row.r_round,
    round_attempts: row.r_round_attempts,
    first_attempt_at: row.r_first_attempt_at,
    requested_round: row.r_requested_round,
    withdrawn_at: row.r_withdrawn_at,
    state: row.r_state,
    call_id: row.r_call_id,
  };
  return { call: row, of: { recipient, rules: ofCampaign } };
}
