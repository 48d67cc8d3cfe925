import { organization, type Organization, viewOf } from '@outdial/contracts';
import type { OrganizationDetails } from '@outdial/db';

const view = viewOf(organization);
const limitsView = viewOf(organization.shape.limits);

export function organizationView(row: OrganizationDetails): Organization {
  const calls = row.person_caps.calls.map(({ calls: most, hours }) => ({ calls: most, hours }));
  return view({ ...row, limits: limitsView(row), person_caps: { ...row.person_caps, calls } });
}
