import { findCampaign, type Tx } from '@outdial/db';
import type { IfMatch } from '../../http/entity-tag.ts';
import { orNotFound } from '../../http/resource-id.ts';
import { campaignVersion } from './campaign-view.ts';

/** Compares `If-Match` with the campaign when a change has locked it. */
export function ifCampaignMatches(
  ifMatch: IfMatch,
  key: { organizationId: string; campaignId: string },
): (tx: Tx) => Promise<void> {
  return (tx) => ifMatch(async () => campaignVersion(orNotFound(await findCampaign(tx, key), 'Campaign')));
}
