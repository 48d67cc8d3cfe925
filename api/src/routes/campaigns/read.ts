import { campaign, campaignSummary, envelope, got, rolesFrom, summaryShape } from '@outdial/contracts';
import { findCampaign } from '@outdial/db';
import { z } from 'zod';
import { defineRoute } from '../../http/define-route.ts';
import { notFound, resourceId } from '../../http/resource-id.ts';
import { answerCampaign } from './answer-campaign.ts';
import { campaignMeta, summaryView } from './campaign-view.ts';
import { progressOf } from './progress-view.ts';

export const readCampaign = defineRoute(
  {
    method: 'get',
    path: '/api/v1/campaigns/{campaign_id}',
    operationId: 'readCampaign',
    summary: 'Read a campaign',
    description:
      'While the campaign runs, `meta` says when it dials next and what it waits for: `{next_dial_at, waiting_for}`. ' +
      'A summary has the same cost for lists of any length, and `meta.progress`.',
    tag: 'campaigns',
    roles: rolesFrom('viewer'),
    params: z.object({ campaign_id: z.string() }),
    query: z.object(summaryShape),
    response: envelope(z.union([campaign, campaignSummary])),
  },
  async ({ principal, params, query, res }, { db }) => {
    const campaignId = resourceId(params.campaign_id, 'Campaign');
    const key = { organizationId: principal.organizationId, campaignId };
    if (query.fields === 'summary') {
      const record = await findCampaign(db, key);
      if (record === null) throw notFound('Campaign');
      const { organizationId } = key;
      const progress = (await progressOf(db, { organizationId, campaignIds: [campaignId] })).get(campaignId);
      return got(summaryView(record), { ...campaignMeta(record), progress });
    }
    return answerCampaign(res, db, key, 'Data got correctly');
  },
);
