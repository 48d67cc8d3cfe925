import { campaign, campaignStatusBody, envelope, rolesFrom } from '@outdial/contracts';
import { isFinalCampaignStatus } from '@outdial/core';
import { findCampaignWarnings, setCampaignStatus as setInEngine } from '@outdial/engine';
import { z } from 'zod';
import { defineRoute } from '../../http/define-route.ts';
import { fieldFault } from '../../http/errors.ts';
import { resourceId } from '../../http/resource-id.ts';
import { changeAndAnswer, ifCampaignMatches } from './answer-campaign.ts';

export const setCampaignStatus = defineRoute(
  {
    method: 'put',
    path: '/api/v1/campaigns/{campaign_id}/status',
    operationId: 'setCampaignStatus',
    summary: 'Set the status of a campaign',
    description:
      'The status can change from draft to paused, running or canceled; from paused to draft, running, finished or canceled; and from running to paused, finished or canceled. ' +
      'Setting the current status again has no effect. Calls in progress continue unless `hang_up` is true.',
    tag: 'campaigns',
    roles: rolesFrom('manager'),
    params: z.object({ campaign_id: z.string() }),
    body: campaignStatusBody,
    unknownFields: 'warn',
    response: envelope(campaign),
    errors: [409],
  },
  async ({ principal, params, body, warnings, ifMatch, res }, deps) => {
    const campaignId = resourceId(params.campaign_id, 'Campaign');
    const key = { organizationId: principal.organizationId, campaignId };
    const engine = { ...deps, installationProvider: deps.config.installationProvider };
    const hangUp = body.hang_up ?? false;
    if (hangUp && !isFinalCampaignStatus(body.status)) {
      throw fieldFault('hang_up', "hang_up is only accepted with the status 'canceled' or 'finished'");
    }
    const answer = { ...key, message: 'Data updated correctly', warnings };
    const precondition = ifCampaignMatches(ifMatch, key);
    return changeAndAnswer(res, deps, answer, async () => {
      const { userId } = principal;
      await setInEngine(engine, { ...key, status: body.status, userId, hangUp, precondition });
      warnings.push(...(await findCampaignWarnings(deps.db, key)));
    });
  },
);
