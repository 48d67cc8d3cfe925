import { campaign, campaignSummary, envelope, got, rolesFrom, summaryShape } from '@outdial/contracts';
import { findCampaign } from '@outdial/db';
import { z } from 'zod';
import { defineRoute, sent } from '../../http/define-route.ts';
import { orNotFound, resourceId } from '../../http/resource-id.ts';
import { sendJson } from '../../http/send-json.ts';
import { answerCampaign } from './answer-campaign.ts';
import { campaignMeta, campaignTag, summaryView } from './campaign-view.ts';
import { progressOf } from './progress-view.ts';

export const readCampaign = defineRoute(
  {
    method: 'get',
    path: '/api/v1/campaigns/{campaign_id}',
    operationId: 'readCampaign',
    summary: 'Read a campaign',
    description:
      'While the campaign is running, `meta` has the time of the next dial and the reason for waiting: `{next_dial_at, waiting_for}`. ' +
      'A summary takes the same time for lists of any length, and includes `meta.progress`.',
    tag: 'campaigns',
    roles: rolesFrom('viewer'),
    isAudited: true,
    params: z.object({ campaign_id: z.string() }),
    query: z.object(summaryShape),
    response: envelope(z.union([campaign, campaignSummary])),
  },
  async ({ organizationId, params, query, warnings, res }, deps) => {
    const campaignId = resourceId(params.campaign_id, 'Campaign');
    if (query.fields === 'summary') {
      const record = orNotFound(await findCampaign(deps.db, { organizationId, campaignId }), 'Campaign');
      const progress = await progressOf(deps.db, { organizationId, campaignIds: [campaignId] });
      const meta = { ...campaignMeta(record), progress: progress.get(campaignId) };
      sendJson(res, JSON.stringify(got(summaryView(record), meta)), campaignTag(record, meta));
      return sent;
    }
    return answerCampaign(res, deps, {
      organizationId,
      campaignId,
      message: 'Data got correctly',
      warnings,
    });
  },
);
