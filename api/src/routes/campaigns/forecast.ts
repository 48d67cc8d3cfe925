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
    changesNothing: true,
    summary: 'Forecast a campaign',
    description:
      "Simulates the rest of the campaign with the dialing rules, on a virtual clock, and changes nothing. Returns the calls by day and time zone, the recipients that will be skipped and why, the end, the bottleneck, and the effect of twice as many lines. Answer rates are taken from your organization's most recent calls. Returns 409 if the campaign has ended.",
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
      throw new ConflictError('campaign_over', 'The campaign has ended: there is nothing to forecast');
    }
    return got(forecastView(found));
  },
);
