import {
  cursorList,
  cursorListOf,
  envelope,
  got,
  recipient,
  recipientsQuery,
  rolesFrom,
} from '@outdial/contracts';
import { listRecipients as listRecords } from '@outdial/db';
import { findWaiting } from '@outdial/engine';
import { z } from 'zod';
import { defineRoute } from '../../http/define-route.ts';
import { notFound, resourceId } from '../../http/resource-id.ts';
import { recipientView } from './recipient-view.ts';

export const listRecipients = defineRoute(
  {
    method: 'get',
    path: '/api/v1/campaigns/{campaign_id}/recipients',
    operationId: 'listRecipients',
    summary: 'List the recipients of a campaign, newest first',
    description: 'Those that were taken off the list or left undialed are among them, as `withdrawn`.',
    tag: 'campaigns',
    roles: rolesFrom('viewer'),
    params: z.object({ campaign_id: z.string() }),
    query: recipientsQuery,
    response: envelope(cursorList(recipient)),
  },
  async ({ principal: { organizationId }, params, query }, { db }) => {
    const campaignId = resourceId(params.campaign_id, 'Campaign');
    const waiting = (await findWaiting(db, { organizationId, campaignIds: [campaignId] })).get(campaignId);
    if (waiting === undefined) throw notFound('Campaign');
    const rows = await listRecords(
      db,
      { organizationId, campaignId },
      {
        filters: { state: query.state, outcome: query.outcome, phoneNumber: query.phone_number },
        limit: query.limit + 1,
        after: query.cursor?.[0] ?? null,
      },
    );
    return got(
      cursorListOf(rows, query.limit, {
        position: (row) => [row.id],
        item: (row) => recipientView(row, waiting),
      }),
    );
  },
);
