import {
  call,
  campaignCallsQuery,
  cursorList,
  cursorListOf,
  envelope,
  got,
  rolesFrom,
} from '@outdial/contracts';
import { findCampaign, listCalls } from '@outdial/db';
import { z } from 'zod';
import { baseUrl } from '../../http/base-url.ts';
import { defineRoute } from '../../http/define-route.ts';
import { newestFirst } from '../../http/newest-first.ts';
import { notFound, resourceId } from '../../http/resource-id.ts';
import { callFilters } from '../calls/call-filters.ts';
import { callView } from '../calls/call-view.ts';

export const listCampaignCalls = defineRoute(
  {
    method: 'get',
    path: '/api/v1/campaigns/{campaign_id}/calls',
    operationId: 'listCampaignCalls',
    summary: 'List the calls of a campaign, newest first',
    description: '`from` and `to` are about when calls were made.',
    tag: 'campaigns',
    roles: rolesFrom('viewer'),
    params: z.object({ campaign_id: z.string() }),
    query: campaignCallsQuery,
    response: envelope(cursorList(call)),
  },
  async ({ principal: { organizationId }, params, query, req }, { db, config }) => {
    const campaignId = resourceId(params.campaign_id, 'Campaign');
    if ((await findCampaign(db, { organizationId, campaignId })) === null) throw notFound('Campaign');
    const rows = await listCalls(db, {
      organizationId,
      filters: { ...callFilters(query), campaignId },
      page: newestFirst(query),
    });
    const base = baseUrl(req, config);
    return got(
      cursorListOf(rows, query.limit, {
        position: (row) => [row.row_instant, row.id],
        item: (row) => callView(row, base),
      }),
    );
  },
);
