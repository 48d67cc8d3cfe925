import type { Erasure } from '@outdial/contracts';
import type { ErasureRow } from '@outdial/db';

export function erasureView(row: ErasureRow): Erasure {
  const { recordings_pending: pending, recordings_failed: failed } = row;
  return {
    id: row.id,
    created_at: row.created_at.toISOString(),
    requested_by: row.requested_by,
    state: pending > 0 ? 'pending' : failed > 0 ? 'failed' : 'done',
    calls: row.counts.calls,
    recipients: row.counts.recipients,
    suppressions: row.counts.suppressions,
    recordings: { deleted: Math.max(0, row.counts.recordings - pending - failed), pending, failed },
  };
}
