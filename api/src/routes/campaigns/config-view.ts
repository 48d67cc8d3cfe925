import type { CampaignConfig } from '@outdial/contracts';
import type { CampaignConfigRow } from '@outdial/db';

/** The fields of the row, which have the same names. */
export function configView({
  organization_id: _,
  updated_at: __,
  ...row
}: CampaignConfigRow): CampaignConfig {
  return { ...row, created_at: row.created_at.toISOString() };
}
