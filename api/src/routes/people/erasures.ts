import {
  createdPosition,
  cursorParameters,
  envelope,
  erasure,
  got,
  rolesFrom,
  type Erasure,
} from '@outdial/contracts';
import { byInstant, findErasure, listErasures as listRows, type ErasureRow } from '@outdial/db';
import { z } from 'zod';
import { defineList } from '../../http/define-list.ts';
import { defineRoute } from '../../http/define-route.ts';
import { orNotFound, resourceId } from '../../http/resource-id.ts';

export const listErasures = defineList(
  {
    path: '/api/v1/erasures',
    operationId: 'listErasures',
    summary: 'List erasure receipts, newest first',
    tag: 'people',
    roles: rolesFrom('admin'),
    query: cursorParameters(createdPosition),
    item: erasure,
    rowBytesAtMost: 4 * 1024,
  },
  async ({ organizationId, page }, { db }) => ({
    rows: await listRows(db, { organizationId, page }),
    position: byInstant,
    view: erasureView,
  }),
);

export const readErasure = defineRoute(
  {
    method: 'get',
    path: '/api/v1/erasures/{erasure_id}',
    operationId: 'readErasure',
    summary: 'Read an erasure receipt',
    tag: 'people',
    roles: rolesFrom('admin'),
    params: z.object({ erasure_id: z.string() }),
    response: envelope(erasure),
  },
  async ({ organizationId, params }, { db }) => {
    const erasureId = resourceId(params.erasure_id, 'Erasure');
    const row = orNotFound(await findErasure(db, { organizationId, erasureId }), 'Erasure');
    return got(erasureView(row));
  },
);

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
