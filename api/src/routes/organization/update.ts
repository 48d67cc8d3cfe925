import {
  envelope,
  organization,
  reversedOffsetWarnings,
  rolesFrom,
  updated,
  updateOrganizationBody,
} from '@outdial/contracts';
import {
  fillCalledPeople,
  findOrganizationDetails,
  inTransaction,
  updateOrganization as updateRow,
} from '@outdial/db';
import { defineRoute } from '../../http/define-route.ts';
import { orNotFound } from '../../http/resource-id.ts';
import { organizationView } from './organization-view.ts';

export const updateOrganization = defineRoute(
  {
    method: 'put',
    path: '/api/v1/organization',
    operationId: 'updateOrganization',
    summary: 'Update your organization',
    description:
      'Changes only the fields in the body. If you shorten the retention, older data is deleted within an hour and cannot be restored. A new calling policy applies to every call from now on, including those of waiting recipients.',
    tag: 'organization',
    roles: rolesFrom('admin'),
    body: updateOrganizationBody,
    response: envelope(organization),
  },
  async ({ organizationId, body, ifMatch, warnings }, { db, clock }) => {
    const { calling_policy: policy } = body;
    warnings.push(...reversedOffsetWarnings([body.timezone], ['body', 'timezone']));
    // A policy's caps count earlier calls. Most are counted here, because gates wait for the transaction.
    if (policy !== undefined && policy !== 'none') await fillCalledPeople(db, organizationId);
    const view = await inTransaction(db, async (tx) => {
      const read = async () =>
        organizationView(orNotFound(await findOrganizationDetails(tx, organizationId), 'Organization'));
      const precondition = () => ifMatch(read);
      await updateRow(tx, organizationId, body, clock.now(), precondition);
      return read();
    });
    return updated(view);
  },
);
