import {
  campaignConfig,
  campaignConfigBody,
  created,
  envelope,
  rolesFrom,
  updated,
  type CampaignConfig,
  type CampaignConfigBody,
} from '@outdial/contracts';
import type { CampaignConfigRow } from '@outdial/db';
import { configChanges, setCampaignConfig as setInEngine } from '@outdial/engine';
import { z } from 'zod';
import { defineRoute } from '../../http/define-route.ts';
import { ValidationError } from '../../http/errors.ts';
import { resourceId } from '../../http/resource-id.ts';

export const setCampaignConfig = defineRoute(
  {
    method: 'put',
    path: '/api/v1/campaigns/{campaign_id}/config',
    operationId: 'setCampaignConfig',
    summary: 'Update the config of a campaign, or create it',
    description:
      'Changes what the body names, also while the campaign runs; a new config has the defaults for the rest.',
    tag: 'campaigns',
    roles: rolesFrom('manager'),
    params: z.object({ campaign_id: z.string() }),
    body: campaignConfigBody,
    unknownFields: 'warn',
    response: envelope(campaignConfig),
    errors: [409],
  },
  async ({ principal, params, body }, deps) => {
    requireSameCampaign(body, params.campaign_id);
    const campaignId = resourceId(params.campaign_id, 'Campaign');
    const key = { organizationId: principal.organizationId, campaignId };
    const written = await setInEngine(deps, { ...key, changes: configChanges(body) });
    return (written.created ? created : updated)(configView(written.config));
  },
);

function requireSameCampaign(body: CampaignConfigBody, campaignId: string): void {
  if (body.campaign_id == null || body.campaign_id.toLowerCase() === campaignId.toLowerCase()) return;
  throw new ValidationError([
    { loc: ['body', 'campaign_id'], msg: 'campaign_id should be that of the path', type: 'value_error' },
  ]);
}

function configView(row: CampaignConfigRow): CampaignConfig {
  return {
    id: row.id,
    created_at: row.created_at.toISOString(),
    campaign_id: row.campaign_id,
    call_on_weekend: row.call_on_weekend,
    queue_again: row.queue_again,
    call_back_attempts: row.call_back_attempts,
    retry_delay_seconds: row.retry_delay_seconds,
    retry_on: row.retry_on,
    max_concurrent_calls: row.max_concurrent_calls,
    calls_per_second: row.calls_per_second,
    max_attempts_per_recipient: row.max_attempts_per_recipient,
    priority: row.priority,
  };
}
