import { campaign, campaignStatusBody, envelope, rolesFrom } from '@outdial/contracts';
import { setCampaignStatus as setInEngine } from '@outdial/engine';
import { z } from 'zod';
import { defineRoute } from '../../http/define-route.ts';
import { resourceId } from '../../http/resource-id.ts';
import { changeAndAnswer } from './answer-campaign.ts';

export const setCampaignStatus = defineRoute(
  {
    method: 'put',
    path: '/api/v1/campaigns/{campaign_id}/status',
    operationId: 'setCampaignStatus',
    summary: 'Set the status of a campaign',
    description:
      'draft → paused, running, canceled; paused → draft, running, finished, canceled; running → paused, finished, canceled. ' +
      'The same status again changes nothing.',
    tag: 'campaigns',
    roles: rolesFrom('manager'),
    params: z.object({ campaign_id: z.string() }),
    body: campaignStatusBody,
    unknownFields: 'warn',
    response: envelope(campaign),
    errors: [409],
  },
  async ({ principal, params, body, warnings, res }, deps) => {
    const campaignId = resourceId(params.campaign_id, 'Campaign');
    const key = { organizationId: principal.organizationId, campaignId };
    const engine = { ...deps, installationProvider: deps.config.installationProvider };
    const answer = { ...key, message: 'Data updated correctly', warnings };
    return changeAndAnswer(res, deps, answer, () =>
      setInEngine(engine, { ...key, status: body.status, userId: principal.userId }),
    );
  },
);
