import { campaignProgress, envelope, got, rolesFrom } from '@outdial/contracts';
import { z } from 'zod';
import { defineRoute } from '../../http/define-route.ts';
import { withoutInstant } from '../../http/entity-tag.ts';
import { notFound, resourceId } from '../../http/resource-id.ts';
import { progressOf } from './progress-view.ts';

export const readCampaignProgress = defineRoute(
  {
    method: 'get',
    path: '/api/v1/campaigns/{campaign_id}/progress',
    operationId: 'readCampaignProgress',
    summary: 'Read the progress of a campaign',
    description:
      'Returns the number of recipients in each state and, while the campaign is running but not dialing, the reason for waiting. Takes the same time for lists of any length.',
    tag: 'campaigns',
    roles: rolesFrom('viewer'),
    params: z.object({ campaign_id: z.string() }),
    versionOf: withoutInstant,
    response: envelope(campaignProgress),
  },
  async ({ organizationId, params }, { db }) => {
    const campaignId = resourceId(params.campaign_id, 'Campaign');
    const progress = (await progressOf(db, { organizationId, campaignIds: [campaignId] })).get(campaignId);
    if (progress === undefined) throw notFound('Campaign');
    return got(progress);
  },
);
