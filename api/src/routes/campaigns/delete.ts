import { campaignSummary, deleted, envelope, rolesFrom } from '@outdial/contracts';
import { findCampaign } from '@outdial/db';
import { deleteCampaign as deleteInEngine } from '@outdial/engine';
import { z } from 'zod';
import { defineRoute } from '../../http/define-route.ts';
import { orNotFound, resourceId } from '../../http/resource-id.ts';
import { summaryView } from './campaign-view.ts';

export const deleteCampaign = defineRoute(
  {
    method: 'delete',
    path: '/api/v1/campaigns/{campaign_id}',
    operationId: 'deleteCampaign',
    summary: 'Delete a campaign that is a draft, finished or canceled',
    description:
      'Deletes the campaign and its recipients. The records of its calls remain. In any other status, returns 409: cancel the campaign first.',
    tag: 'campaigns',
    roles: rolesFrom('manager'),
    params: z.object({ campaign_id: z.string() }),
    response: envelope(campaignSummary),
    errors: [409],
  },
  async ({ organizationId, params }, deps) => {
    const campaignId = resourceId(params.campaign_id, 'Campaign');
    const key = { organizationId, campaignId };
    const record = orNotFound(await findCampaign(deps.db, key), 'Campaign');
    await deleteInEngine(deps, key);
    return deleted(summaryView(record));
  },
);
