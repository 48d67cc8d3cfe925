import { envelope, organization, rolesFrom, updated, updateOrganizationBody } from '@outdial/contracts';
import { findOrganizationDetails, inTransaction, updateOrganization as updateRow } from '@outdial/db';
import { defineRoute } from '../../http/define-route.ts';
import { notFound } from '../../http/resource-id.ts';
import { organizationView } from './organization-view.ts';

export const updateOrganization = defineRoute(
  {
    method: 'put',
    path: '/api/v1/organization',
    operationId: 'updateOrganization',
    summary: 'Update your organization',
    description:
      'Replaces what the body names. Data that a shorter retention no longer covers is deleted within an hour and cannot be brought back. A calling policy holds for every dial from the answer on; recipients that wait are judged by it.',
    tag: 'organization',
    roles: rolesFrom('admin'),
    body: updateOrganizationBody,
    response: envelope(organization),
  },
  async ({ principal: { organizationId }, body }, { db, clock }) => {
    const row = await inTransaction(db, async (tx) => {
      const { calling_policy: callingPolicy, ...named } = body;
      await updateRow(tx, organizationId, { ...named, callingPolicy }, clock.now());
      return findOrganizationDetails(tx, organizationId);
    });
    if (row === null) throw notFound('Organization');
    return updated(organizationView(row));
  },
);
