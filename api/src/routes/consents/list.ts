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
      'With `phone_number` the proof of one person: every consent with the text that was shown, its revocation, and how many dials relied on it until when. Calls name theirs in `meta.consent_id`.',
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
