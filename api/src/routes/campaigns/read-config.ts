import { campaignConfig, envelope, got, rolesFrom } from '@outdial/contracts';
import { findCampaignConfig } from '@outdial/db';
import { z } from 'zod';
import { defineRoute } from '../../http/define-route.ts';
import { orNotFound, resourceId } from '../../http/resource-id.ts';
import { configView } from './campaign-view.ts';

export const readCampaignConfig = defineRoute(
  {
    method: 'get',
    path: '/api/v1/campaigns/{campaign_id}/config',
    operationId: 'readCampaignConfig',
    summary: 'Read the config of a campaign',
    description: 'Fields that were never set have their default values.',
    tag: 'campaigns',
    roles: rolesFrom('viewer'),
    params: z.object({ campaign_id: z.string() }),
    response: envelope(campaignConfig),
  },
  async ({ organizationId, params }, { db }) => {
    const campaignId = resourceId(params.campaign_id, 'Campaign');
    const config = orNotFound(await findCampaignConfig(db, { organizationId, campaignId }), 'Campaign');
    return got(configView(config));
  },
);
