import { type Recipient, recipientBytesAtMost } from '@outdial/contracts';
import { zoneOfKey } from '@outdial/core';
import type { RecipientRecord } from '@outdial/db';
import { recipientWaiting, type CampaignWaiting } from '@outdial/engine';

/** The size limit of a recipient: its values and the engine's fields. */
export const recipientRowBytesAtMost = 2 * recipientBytesAtMost;

export function recipientView(record: RecipientRecord, campaign: CampaignWaiting): Recipient {
  const { nextAttemptAt, waitingFor } = recipientWaiting(record, campaign);
  const { calling_key: key, due_at: _, deferred_for: __, ...row } = record;
  return {
    ...row,
    next_attempt_at: nextAttemptAt?.toISOString() ?? null,
    waiting_for: waitingFor,
    timezone: zoneOfKey(key),
  };
}
