import { campaignRefusals, envelope, got, rolesFrom } from '@outdial/contracts';
import { countRefusals, gateConditions } from '@outdial/db';
import { z } from 'zod';
import { defineRoute } from '../../http/define-route.ts';
import { withoutInstant } from '../../http/entity-tag.ts';
import { orNotFound, resourceId } from '../../http/resource-id.ts';

/** Conditions whose refusals depend on the rules of a place. */
const ofRules = new Set<string>(['calling_hours', 'no_consent', 'person_capped']);

export const readCampaignRefusals = defineRoute(
  {
    method: 'get',
    path: '/api/v1/campaigns/{campaign_id}/refusals',
    operationId: 'readCampaignRefusals',
    summary: 'Count the refused recipients of a campaign',
    description:
      'How many recipients were refused by the last check before a dial, by condition and by the rules of their places. A refused recipient may be dialed later, if the condition holds again.',
    tag: 'campaigns',
    roles: rolesFrom('viewer'),
    params: z.object({ campaign_id: z.string() }),
    versionOf: withoutInstant,
    response: envelope(campaignRefusals),
  },
  async ({ organizationId, params }, { db }) => {
    const campaignId = resourceId(params.campaign_id, 'Campaign');
    const found = orNotFound(await countRefusals(db, { organizationId, campaignId }), 'Campaign');
    return got({
      campaign_id: campaignId,
      as_of: found.now.toISOString(),
      refused: found.refused.map(({ reason, rules, people }) => ({
        condition: reason,
        text: gateConditions.find((one) => one.reason === reason)?.text ?? undone,
        rules: ofRules.has(reason) ? rules : [],
        people,
      })),
    });
  },
);

const undone = 'The attempt was undone before a person was called.';
