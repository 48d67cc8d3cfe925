import {
  createdPosition,
  cursorList,
  cursorListOf,
  cursorParameters,
  envelope,
  erasure,
  got,
  rolesFrom,
} from '@outdial/contracts';
import { findErasure, listErasures as listRows } from '@outdial/db';
import { z } from 'zod';
import { defineRoute } from '../../http/define-route.ts';
import { newestFirst } from '../../http/newest-first.ts';
import { notFound, resourceId } from '../../http/resource-id.ts';
import { erasureView } from './erasure-view.ts';

export const listErasures = defineRoute(
  {
    method: 'get',
    path: '/api/v1/erasures',
    operationId: 'listErasures',
    summary: 'List the receipts of erased people, newest first',
    tag: 'people',
    roles: rolesFrom('admin'),
    query: cursorParameters(createdPosition),
    response: envelope(cursorList(erasure)),
  },
  async ({ principal: { organizationId }, query }, { db }) => {
    const rows = await listRows(db, { organizationId, page: newestFirst(query) });
    return got(
      cursorListOf(rows, query.limit, { position: (row) => [row.row_instant, row.id], item: erasureView }),
    );
  },
);

export const readErasure = defineRoute(
  {
    method: 'get',
    path: '/api/v1/erasures/{erasure_id}',
    operationId: 'readErasure',
    summary: 'Read the receipt of an erased person',
    tag: 'people',
    roles: rolesFrom('admin'),
    params: z.object({ erasure_id: z.string() }),
    response: envelope(erasure),
  },
  async ({ principal: { organizationId }, params }, { db }) => {
    const erasureId = resourceId(params.erasure_id, 'Erasure');
    const row = await findErasure(db, { organizationId, erasureId });
    if (row === null) throw notFound('Erasure');
    return got(erasureView(row));
  },
);
