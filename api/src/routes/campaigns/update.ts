import {
  campaign,
  envelope,
  repeatedNumberWarnings,
  rolesFrom,
  updateCampaignBody,
} from '@outdial/contracts';
import { findCampaignWarnings, updateCampaign as updateInEngine } from '@outdial/engine';
import { z } from 'zod';
import { defineRoute } from '../../http/define-route.ts';
import { resourceId } from '../../http/resource-id.ts';
import { changeAndAnswer, ifCampaignMatches } from './answer-campaign.ts';
import { nearMisses } from './near-misses.ts';
import { withFieldErrors } from './engine-errors.ts';

export const updateCampaign = defineRoute(
  {
    method: 'put',
    path: '/api/v1/campaigns/{campaign_id}',
    operationId: 'updateCampaign',
    summary: 'Update a paused campaign',
    description:
      'Changes only the fields in the body. Null changes nothing, except that a null `end_date` makes the campaign open-ended. ' +
      'A new list of `phone_numbers` adds and withdraws recipients; numbers that remain keep their history.',
    tag: 'campaigns',
    roles: rolesFrom('manager'),
    params: z.object({ campaign_id: z.string() }),
    body: updateCampaignBody,
    largeBody: true,
    unknownFields: 'warn',
    response: envelope(campaign),
    errors: [409],
  },
  async ({ organizationId, params, body, given, warnings, ifMatch, res }, deps) => {
    const campaignId = resourceId(params.campaign_id, 'Campaign');
    warnings.push(...nearMisses(body.additional_params));
    warnings.push(...repeatedNumberWarnings(given, body.phone_numbers));
    const key = { organizationId, campaignId };
    const answer = { ...key, message: 'Data updated correctly', warnings };
    const precondition = ifCampaignMatches(ifMatch, key);
    return changeAndAnswer(res, deps, answer, async () => {
      warnings.push(
        ...(await withFieldErrors(() => updateInEngine(deps, { ...key, fields: body, precondition }))),
      );
      warnings.push(...(await findCampaignWarnings(deps.db, key)));
    });
  },
);
