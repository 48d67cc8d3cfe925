import { consent, listConsentsQuery, rolesFrom } from '@outdial/contracts';
import { byInstant, listConsents as listRows } from '@outdial/db';
import { consentView } from '@outdial/engine';
import { defineList } from '../../http/define-list.ts';

export const listConsents = defineList(
  {
    path: '/api/v1/consents',
    operationId: 'listConsents',
    summary: 'List consents, newest first',
    description:
      'With `phone_number`, lists the consents of one person. Each consent has the text that was shown, its revocation, how many calls were based on it, and when the last one was placed. `meta.consent_id` of a call is the consent on which it was based.',
    tag: 'consents',
    roles: rolesFrom('viewer'),
    query: listConsentsQuery,
    item: consent,
    rowBytesAtMost: 64 * 1024,
  },
  async ({ organizationId, query, page }, { db }) => ({
    rows: await listRows(db, { organizationId, phoneNumber: query.phone_number, page }),
    position: byInstant,
    view: consentView,
  }),
);
