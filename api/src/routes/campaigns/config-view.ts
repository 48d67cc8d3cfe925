import type { CampaignConfig } from '@outdial/contracts';
import type { CampaignConfigRow } from '@outdial/db';

/** The fields of the row, which have the same names. */
export function configView(row: CampaignConfigRow): CampaignConfig {
  const { organization_id: _, updated_at: __, ...config } = row;
  return { ...config, created_at: row.created_at.toISOString() };
}
