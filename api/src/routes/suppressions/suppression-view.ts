import { suppression, type Suppression, viewOf } from '@outdial/contracts';
import type { SuppressionRow } from '@outdial/db';

const view = viewOf(suppression);

export function suppressionView(row: SuppressionRow): Suppression {
  const { creator_id: id, creator_first_name: first, creator_last_name: last } = row;
  return view({
    ...row,
    created_by: id === null ? null : { id, first_name: first ?? '', last_name: last ?? '' },
  });
}
