import type { ScrubList } from '@outdial/contracts';
import { scrubGoodUntil } from '@outdial/core';
import type { ScrubListRow } from '@outdial/db';

export function scrubListView(row: ScrubListRow): ScrubList {
  return {
    id: row.id,
    name: row.name,
    source: row.source,
    account: row.account,
    jurisdiction: row.jurisdiction,
    good_for_days: row.good_for_days,
    scrubbed_at: row.scrubbed_at?.toISOString() ?? null,
    good_until: row.scrubbed_at && scrubGoodUntil(row.scrubbed_at, row.good_for_days).toISOString(),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
