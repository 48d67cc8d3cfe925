import { envelope, personExport, rolesFrom } from '@outdial/contracts';
import { isE164, maskPhoneNumber } from '@outdial/core';
import {
  type PersonKey,
  type Db,
  engineNow,
  findRecipientsOfPerson,
  findSuppression,
  inTransaction,
  listCalls,
  noteChange,
} from '@outdial/db';
import { z } from 'zod';
import { answerPieces } from '../../http/answer-pieces.ts';
import { baseUrl } from '../../http/base-url.ts';
import { defineRoute } from '../../http/define-route.ts';
import { notFound } from '../../http/resource-id.ts';
import { callBytesAtMost, callView } from '../calls/call-view.ts';
import { suppressionView } from '../suppressions/suppression-view.ts';
import { inPages, personFile, recipientsOf } from './person-file.ts';

export const exportPerson = defineRoute(
  {
    method: 'get',
    path: '/api/v1/people/{phone_number}/export',
    operationId: 'exportPerson',
    summary: 'Export all data about a person',
    description:
      'Returns all data that your organization has about the person behind a phone number. Returns 404 if there is none.',
    tag: 'people',
    roles: rolesFrom('admin'),
    params: z.object({
      phone_number: z.string().describe('The phone number in E.164 format. Encode the plus sign as %2B.'),
    }),
    response: envelope(personExport),
    isAudited: true,
  },
  async ({ organizationId, params, req, res }, { db, config, longAnswers }) => {
    const phoneNumber = params.phone_number;
    if (!isE164(phoneNumber)) throw notFound('Person');
    const person = { organizationId, phoneNumber };
    const [suppression, recipients, calls] = await Promise.all([
      findSuppression(db, person),
      findRecipientsOfPerson(db, { ...person, page: { limit: 1, after: null } }),
      listCalls(db, { organizationId, filters: { phoneNumber }, page: { limit: 1, after: null } }),
    ]);
    if (suppression === null && recipients.length === 0 && calls.length === 0) throw notFound('Person');
    // Before anything is sent, so that every access is in the audit log.
    await inTransaction(db, async () => {
      noteChange({ type: 'person', id: maskPhoneNumber(phoneNumber) });
    });
    const head = {
      phone_number: phoneNumber,
      exported_at: (await engineNow(db)).toISOString(),
      suppression: suppression === null ? null : suppressionView(suppression),
    };
    return answerPieces(
      res,
      { longAnswers, organizationId },
      personFile(head, {
        recipients: recipientsOf(db, person),
        calls: callsOf(db, person, baseUrl(req, config)),
      }),
    );
  },
);

async function* callsOf(
  db: Db,
  { organizationId, phoneNumber }: PersonKey,
  base: string,
): AsyncGenerator<object> {
  const rows = inPages(callBytesAtMost, (page) =>
    listCalls(db, { organizationId, filters: { phoneNumber }, page }),
  );
  for await (const row of rows) yield callView(row, base);
}
