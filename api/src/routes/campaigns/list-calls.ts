import { call, campaignCallsQuery, rolesFrom } from '@outdial/contracts';
import { byInstant, type CallRow, findCampaign, listCalls } from '@outdial/db';
import { z } from 'zod';
import { baseUrl } from '../../http/base-url.ts';
import { defineList } from '../../http/define-list.ts';
import { notFound, resourceId } from '../../http/resource-id.ts';
import { callBytesAtMost, callView, callFilters } from '../calls/call-view.ts';

export const listCampaignCalls = defineList(
  {
    path: '/api/v1/campaigns/{campaign_id}/calls',
    operationId: 'listCampaignCalls',
    summary: 'List the calls of a campaign, newest first',
    description: '`from` and `to` filter by the time of the call.',
    tag: 'campaigns',
    roles: rolesFrom('viewer'),
    params: z.object({ campaign_id: z.string() }),
    query: campaignCallsQuery,
    item: call,
    rowBytesAtMost: callBytesAtMost,
  },
  async ({ organizationId, params, query, page, req }, { db, config }) => {
    const campaignId = resourceId(params.campaign_id, 'Campaign');
    if ((await findCampaign(db, { organizationId, campaignId })) === null) throw notFound('Campaign');
    const base = baseUrl(req, config);
    return {
      rows: await listCalls(db, { organizationId, filters: { ...callFilters(query), campaignId }, page }),
      position: byInstant,
      view: (row: CallRow) => callView(row, base),
    };
  },
);
