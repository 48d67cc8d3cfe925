import { envelope, forecast, forecastBody, got, rolesFrom } from '@outdial/contracts';
import { ConflictError } from '@outdial/core';
import { forecastCampaign as forecastInEngine, forecastView } from '@outdial/engine';
import { z } from 'zod';
import { defineRoute } from '../../http/define-route.ts';
import { notFound, resourceId } from '../../http/resource-id.ts';

export const forecastCampaign = defineRoute(
  {
    method: 'post',
    path: '/api/v1/campaigns/{campaign_id}/forecast',
    operationId: 'forecastCampaign',
    summary: 'Forecast how a campaign will go',
    description:
      'Simulates the campaign from now on with the dialing rules, on a virtual clock, and changes nothing. Returns the dials by day and zone, the skipped recipients and why, the end, the hold-ups, and the effect of twice the lines. Answer rates are those of the newest calls of the organization. A campaign that is over is 409.',
    tag: 'campaigns',
    roles: rolesFrom('member'),
    params: z.object({ campaign_id: z.string() }),
    body: forecastBody,
    response: envelope(forecast),
    errors: [409],
  },
  async ({ organizationId, params, body }, { db, longAnswers }) => {
    const campaignId = resourceId(params.campaign_id, 'Campaign');
    const { seed = 1, max_concurrent_calls: maxConcurrentCalls } = body;
    // A few per organization at a time, because each computes for about a second.
    const found = await longAnswers.within({ organizationId, purpose: 'read' }, () =>
      forecastInEngine(db, { organizationId, campaignId, seed, maxConcurrentCalls }),
    );
    if (found === null) throw notFound('Campaign');
    if (found === 'final') {
      throw new ConflictError('campaign_over', 'The campaign is over: there is nothing to forecast');
    }
    return got(forecastView(found));
  },
);
