import { envelope, got, organization, rolesFrom } from '@outdial/contracts';
import { findOrganizationDetails } from '@outdial/db';
import { defineRoute } from '../../http/define-route.ts';
import { orNotFound } from '../../http/resource-id.ts';
import { organizationView } from './organization-view.ts';

export const readOrganization = defineRoute(
  {
    method: 'get',
    path: '/api/v1/organization',
    operationId: 'readOrganization',
    summary: 'Read your organization',
    description: '`meta.role` is the role of your credential.',
    tag: 'organization',
    roles: rolesFrom('viewer'),
    response: envelope(organization),
  },
  async ({ principal }, { db }) => {
    const row = orNotFound(await findOrganizationDetails(db, principal.organizationId), 'Organization');
    // Tells a program what its credential may do.
    return got(organizationView(row), { role: principal.role });
  },
);
