import type { Suppression } from '@outdial/contracts';
import type { SuppressionRow } from '@outdial/db';

export function suppressionView(row: SuppressionRow): Suppression {
  return {
    phone_number: row.phone_number,
    reason: row.reason,
    source: row.source,
    note: row.note,
    created_by:
      row.creator_id === null
        ? null
        : {
            id: row.creator_id,
            first_name: row.creator_first_name ?? '',
            last_name: row.creator_last_name ?? '',
          },
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at?.toISOString() ?? null,
  };
}
