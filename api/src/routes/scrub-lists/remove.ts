import { deleted, envelope, rolesFrom, scrubList } from '@outdial/contracts';
import { findScrubList, inTransaction, noteChange, removeScrubList as removeRow } from '@outdial/db';
import { z } from 'zod';
import { defineRoute } from '../../http/define-route.ts';
import { notFound } from '../../http/resource-id.ts';
import { scrubListView } from './scrub-list-view.ts';

export const removeScrubList = defineRoute(
  {
    method: 'delete',
    path: '/api/v1/scrub-lists/{list_name}',
    operationId: 'removeScrubList',
    summary: 'Delete a scrub list',
    description: 'Campaigns that need the list wait until it is imported again or removed from their config.',
    tag: 'scrub lists',
    roles: rolesFrom('manager'),
    params: z.object({ list_name: z.string() }),
    response: envelope(scrubList),
  },
  async ({ organizationId, params }, { db }) => {
    const key = { organizationId, name: params.list_name };
    const row = await inTransaction(db, async (tx) => {
      const known = await findScrubList(tx, key);
      if (known === null || !(await removeRow(tx, key))) throw notFound('Scrub list');
      const { source, account, scrubbed_at } = known;
      noteChange({ type: 'scrub_list', id: key.name, before: { source, account, scrubbed_at } });
      return known;
    });
    return deleted(scrubListView(row));
  },
);
