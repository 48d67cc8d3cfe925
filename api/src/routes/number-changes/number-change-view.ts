import type { NumberChange } from '@outdial/contracts';
import type { NumberChangeRow } from '@outdial/db';

export function numberChangeView(row: NumberChangeRow): NumberChange {
  return {
    id: row.id,
    phone_number: row.phone_number,
    kind: row.kind,
    changed_at: row.changed_at.toISOString(),
    source: row.source,
    created_at: row.created_at.toISOString(),
  };
}
