import { campaign, envelope, rolesFrom } from '@outdial/contracts';
import { z } from 'zod';
import { defineRoute } from '../../http/define-route.ts';
import { resourceId } from '../../http/resource-id.ts';
import { answerCampaign } from './answer-campaign.ts';

export const readCampaign = defineRoute(
  {
    method: 'get',
    path: '/api/v1/campaigns/{campaign_id}',
    operationId: 'readCampaign',
    summary: 'Read a campaign',
    description:
      'While the campaign runs, `meta` says when it dials next and what it waits for: `{next_dial_at, waiting_for}`.',
    tag: 'campaigns',
    roles: rolesFrom('viewer'),
    params: z.object({ campaign_id: z.string() }),
    response: envelope(campaign),
  },
  async ({ principal, params, res }, { db }) => {
    const campaignId = resourceId(params.campaign_id, 'Campaign');
    const key = { organizationId: principal.organizationId, campaignId };
    return answerCampaign(res, db, key, 'Data got correctly');
  },
);
