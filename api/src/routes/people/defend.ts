import { envelope, personDefense, rolesFrom, type PersonDefense } from '@outdial/contracts';
import { isE164, maskPhoneNumber } from '@outdial/core';
import {
  type PersonKey,
  engineNow,
  findPersonOfNumber,
  findRecipientsOfPerson,
  findRefusals,
  findSuppression,
  inTransaction,
  listCallIdsOfPerson,
  listConsents,
  listNumberChanges,
  listNumberQueries,
  listRevocations,
  listScrubLists,
  noteChange,
  type Db,
} from '@outdial/db';
import { consentView, readReceipt } from '@outdial/engine';
import { z } from 'zod';
import { answerPieces } from '../../http/answer-pieces.ts';
import { defineRoute } from '../../http/define-route.ts';
import { notFound } from '../../http/resource-id.ts';
import { numberChangeView } from '../number-changes/number-change-view.ts';
import { numberQueryView } from '../number-queries/list.ts';
import { refusalsView } from '../receipts/evidence-view.ts';
import { receiptView } from '../receipts/receipt-view.ts';
import { scrubListView } from '../scrub-lists/scrub-list-view.ts';
import { suppressionView } from '../suppressions/suppression-view.ts';
import { inPages, personFile, recipientsOf, rowsAtMost } from './person-file.ts';

export const defendPerson = defineRoute(
  {
    method: 'get',
    path: '/api/v1/people/{phone_number}/defense',
    operationId: 'defendPerson',
    summary: 'Export what shows why a person was called, or was not',
    description:
      'Returns one file about a phone number: what the person asked, with channel, words and time; the consents as they were presented; ported and reassigned numbers; the scrub lists that have the number; the campaigns that listed it, with the refusals; and the receipt of every call. Each list has its newest 1,000 entries. Returns 404 if there is nothing.',
    tag: 'people',
    roles: rolesFrom('manager'),
    params: z.object({
      phone_number: z.string().describe('The phone number in E.164 format. Encode the plus sign as %2B.'),
    }),
    response: envelope(personDefense),
    isAudited: true,
  },
  async ({ organizationId, params, res }, { db, longAnswers }) => {
    const phoneNumber = params.phone_number;
    if (!isE164(phoneNumber)) throw notFound('Person');
    const person = { organizationId, phoneNumber };
    const limit = rowsAtMost + 1;
    const first = { limit: 1, after: null };
    const [suppression, named, revocations, callIds, ...others] = await Promise.all([
      findSuppression(db, person),
      findPersonOfNumber(db, person),
      listRevocations(db, { ...person, limit }),
      listCallIdsOfPerson(db, { ...person, limit }),
      listConsents(db, { ...person, page: first }),
      listNumberChanges(db, { ...person, page: first }),
      listNumberQueries(db, { ...person, page: first }),
      findRecipientsOfPerson(db, { ...person, page: first }),
    ]);
    const lists = await listScrubLists(db, { ...person, page: { limit: rowsAtMost, after: null } });
    const isKnown = [revocations, callIds, lists, ...others].some((rows) => rows.length > 0);
    if (!isKnown && suppression === null && named === null) throw notFound('Person');
    // Before anything is sent, so that every access is in the audit log.
    await inTransaction(db, async () => {
      noteChange({ type: 'person', id: maskPhoneNumber(phoneNumber) });
    });
    const head = {
      phone_number: phoneNumber,
      exported_at: (await engineNow(db)).toISOString(),
      ...(named ?? { person_ref: null, other_numbers: [] }),
      suppression: suppression === null ? null : suppressionView(suppression),
      scrub_lists: lists.map(scrubListView),
    };
    return answerPieces(
      res,
      { longAnswers, organizationId },
      personFile(head, {
        revocations: each(revocations, (row) => ({
          ...row,
          received_at: row.received_at.toISOString(),
          created_at: row.created_at.toISOString(),
        })),
        consents: each(
          inPages(16 * 1024, (page) => listConsents(db, { ...person, page })),
          consentView,
        ),
        number_queries: each(
          inPages(4 * 1024, (page) => listNumberQueries(db, { ...person, page })),
          numberQueryView,
        ),
        number_changes: each(
          inPages(4 * 1024, (page) => listNumberChanges(db, { ...person, page })),
          numberChangeView,
        ),
        recipients: each(recipientsOf(db, person), async (row) => {
          const refusals = await findRefusals(db, { organizationId, recipientId: row.id });
          const { prompt_params: _values, ...shown } = row;
          return { ...shown, refusals: refusals && refusalsView(refusals) };
        }),
        calls: receiptsOf(db, person, callIds),
      }),
    );
  },
);

async function* each<Row, View extends object>(
  rows: AsyncIterable<Row> | Iterable<Row>,
  view: (row: Row) => View | Promise<View>,
): AsyncGenerator<View> {
  for await (const row of rows) yield await view(row);
}

async function* receiptsOf(
  db: Db,
  { organizationId }: PersonKey,
  callIds: readonly string[],
): AsyncGenerator<PersonDefense['calls'][number]> {
  for (const callId of callIds) {
    const receipt = await readReceipt(db, { organizationId, callId });
    if (receipt !== null) yield receiptView(receipt);
  }
}
