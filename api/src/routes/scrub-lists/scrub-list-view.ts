import { scrubList, type ScrubList, viewOf } from '@outdial/contracts';
import { scrubGoodUntil } from '@outdial/core';
import type { ScrubListRow } from '@outdial/db';

const view = viewOf(scrubList);

export function scrubListView(row: ScrubListRow): ScrubList {
  return view({ ...row, good_until: row.scrubbed_at && scrubGoodUntil(row.scrubbed_at, row.good_for_days) });
}
