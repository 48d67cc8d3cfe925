import type { Organization } from '@outdial/contracts';
import type { OrganizationDetails } from '@outdial/db';

export function organizationView(row: OrganizationDetails): Organization {
  return {
    id: row.id,
    name: row.name,
    timezone: row.timezone,
    limits: { max_lines: row.max_lines },
    allowed_countries: null,
    retention: row.retention,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
