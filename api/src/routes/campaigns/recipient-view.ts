import { type Recipient, recipientBytesAtMost } from '@outdial/contracts';
import type { RecipientRecord } from '@outdial/db';
import { recipientWaiting, type CampaignWaiting } from '@outdial/engine';

/** The size limit of a recipient: its values and the engine's fields. */
export const recipientRowBytesAtMost = 2 * recipientBytesAtMost;

export function recipientView(record: RecipientRecord, campaign: CampaignWaiting): Recipient {
  const { nextAttemptAt, waitingFor } = recipientWaiting(record, campaign);
  return {
    id: record.id,
    phone_number: record.phoneNumber,
    state: record.state,
    attempts: record.attempts,
    round: record.round,
    last_outcome: record.lastOutcome,
    last_call_id: record.lastCallId,
    next_attempt_at: nextAttemptAt?.toISOString() ?? null,
    waiting_for: waitingFor,
    timezone: record.timezone,
    prompt_params: record.promptParams,
  };
}
