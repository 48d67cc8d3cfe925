import {
  campaignConfig,
  campaignConfigBody,
  created,
  envelope,
  rolesFrom,
  updated,
  type CampaignConfigBody,
} from '@outdial/contracts';
import { findCampaignConfig, type Tx, unknownScrubLists } from '@outdial/db';
import { findCampaignWarnings, setCampaignConfig as setInEngine } from '@outdial/engine';
import { z } from 'zod';
import type { RouteDeps } from '../../deps.ts';
import { defineRoute } from '../../http/define-route.ts';
import { fieldFault } from '../../http/errors.ts';
import { orNotFound, resourceId } from '../../http/resource-id.ts';
import { configView } from './campaign-view.ts';

export const setCampaignConfig = defineRoute(
  {
    method: 'put',
    path: '/api/v1/campaigns/{campaign_id}/config',
    operationId: 'setCampaignConfig',
    summary: 'Update or create the config of a campaign',
    description:
      'Changes only the fields in the body, even while the campaign is running. In a new config, the other fields have their default values.',
    tag: 'campaigns',
    roles: rolesFrom('manager'),
    params: z.object({ campaign_id: z.string() }),
    body: campaignConfigBody,
    unknownFields: 'warn',
    response: envelope(campaignConfig),
    errors: [409],
  },
  async ({ organizationId, params, body, warnings, ifMatch }, deps) => {
    requireSameCampaign(body, params.campaign_id);
    const campaignId = resourceId(params.campaign_id, 'Campaign');
    const key = { organizationId, campaignId };
    await requireScrubLists(deps, organizationId, body);
    const precondition = (tx: Tx) =>
      ifMatch(async () => configView(orNotFound(await findCampaignConfig(tx, key), 'Campaign')));
    const written = await setInEngine(deps, { ...key, body, precondition });
    warnings.push(...(await findCampaignWarnings(deps.db, key)));
    return (written.created ? created : updated)(configView(written.config));
  },
);

/** The gate handles lists that are removed later. */
async function requireScrubLists(
  { db }: RouteDeps,
  organizationId: string,
  { scrub_lists: names }: CampaignConfigBody,
): Promise<void> {
  if (!names || names.length === 0) return;
  const [unknown] = await unknownScrubLists(db, { organizationId, names });
  if (unknown === undefined) return;
  throw fieldFault('scrub_lists', `The scrub list ${unknown} does not exist: import it first`);
}

function requireSameCampaign(body: CampaignConfigBody, campaignId: string): void {
  if (body.campaign_id == null || body.campaign_id.toLowerCase() === campaignId.toLowerCase()) return;
  throw fieldFault('campaign_id', 'campaign_id should be the id in the path');
}
