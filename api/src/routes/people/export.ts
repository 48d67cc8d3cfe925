import { envelope, got, personExport, rolesFrom } from '@outdial/contracts';
import { isE164, maskPhoneNumber } from '@outdial/core';
import {
  engineNow,
  findRecipientsOfPerson,
  findSuppression,
  inTransaction,
  listCalls,
  noteChange,
  type RecipientOfPersonRow,
} from '@outdial/db';
import { z } from 'zod';
import { baseUrl } from '../../http/base-url.ts';
import { defineRoute } from '../../http/define-route.ts';
import { notFound } from '../../http/resource-id.ts';
import { callView } from '../calls/call-view.ts';
import { suppressionView } from '../suppressions/suppression-view.ts';

const rowsAtMost = 1_000;

export const exportPerson = defineRoute(
  {
    method: 'get',
    path: '/api/v1/people/{phone_number}/export',
    operationId: 'exportPerson',
    summary: 'Read everything about one person',
    description: 'What the organization knows of the person behind a number. 404 where it knows nothing.',
    tag: 'people',
    roles: rolesFrom('admin'),
    params: z.object({ phone_number: z.string().describe('E.164; encode its plus sign as %2B') }),
    response: envelope(personExport),
    isAudited: true,
  },
  async ({ principal: { organizationId }, params, req }, { db, config }) => {
    const phoneNumber = params.phone_number;
    if (!isE164(phoneNumber)) throw notFound('Person');
    const [suppression, recipients, calls] = await Promise.all([
      findSuppression(db, { organizationId, phoneNumber }),
      findRecipientsOfPerson(db, { organizationId, phoneNumber, limit: rowsAtMost + 1 }),
      listCalls(db, {
        organizationId,
        filters: { phoneNumber },
        page: { limit: rowsAtMost + 1, after: null },
      }),
    ]);
    if (suppression === null && recipients.length === 0 && calls.length === 0) throw notFound('Person');
    // Before anything is told: without its entry in the log nothing is.
    await inTransaction(db, async () => {
      noteChange({ type: 'person', id: maskPhoneNumber(phoneNumber) });
    });
    const base = baseUrl(req, config);
    return got({
      phone_number: phoneNumber,
      exported_at: (await engineNow(db)).toISOString(),
      suppression: suppression === null ? null : suppressionView(suppression),
      recipients: recipients.slice(0, rowsAtMost).map(recipientOfPersonView),
      calls: calls.slice(0, rowsAtMost).map((row) => callView(row, base)),
      complete: recipients.length <= rowsAtMost && calls.length <= rowsAtMost,
    });
  },
);

function recipientOfPersonView(row: RecipientOfPersonRow) {
  return {
    ...row,
    first_attempt_at: row.first_attempt_at?.toISOString() ?? null,
    next_attempt_at: row.next_attempt_at?.toISOString() ?? null,
  };
}
