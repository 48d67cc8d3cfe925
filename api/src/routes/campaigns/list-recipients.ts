import { recipient, recipientsQuery, rolesFrom } from '@outdial/contracts';
import { byId, listRecipients as listRecords, type RecipientRecord } from '@outdial/db';
import { findWaiting } from '@outdial/engine';
import { z } from 'zod';
import { defineList } from '../../http/define-list.ts';
import { notFound, resourceId } from '../../http/resource-id.ts';
import { recipientRowBytesAtMost, recipientView } from './recipient-view.ts';

export const listRecipients = defineList(
  {
    path: '/api/v1/campaigns/{campaign_id}/recipients',
    operationId: 'listRecipients',
    summary: 'List the recipients of a campaign, newest first',
    description: 'Includes recipients that were withdrawn or never dialed, with the state `withdrawn`.',
    tag: 'campaigns',
    roles: rolesFrom('viewer'),
    params: z.object({ campaign_id: z.string() }),
    query: recipientsQuery,
    item: recipient,
    rowBytesAtMost: recipientRowBytesAtMost,
  },
  async ({ organizationId, params, query, page }, { db }) => {
    const campaignId = resourceId(params.campaign_id, 'Campaign');
    const waiting = (await findWaiting(db, { organizationId, campaignIds: [campaignId] })).get(campaignId);
    if (waiting === undefined) throw notFound('Campaign');
    const rows = await listRecords(
      db,
      { organizationId, campaignId },
      {
        filters: { state: query.state, outcome: query.outcome, phoneNumber: query.phone_number },
        page,
      },
    );
    return { rows, position: byId, view: (row: RecipientRecord) => recipientView(row, waiting) };
  },
);
