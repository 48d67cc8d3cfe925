import { isE164, maskPhoneNumber } from '@outdial/core';
import {
  type PersonKey,
  engineNow,
  findPersonOfNumber,
  findRecipientsOfPerson,
  findSuppression,
  inTransaction,
  listCallIdsOfPerson,
  listConsents,
  listNumberChanges,
  listNumberQueries,
  listRevocations,
  listScrubLists,
  noteChange,
} from '@outdial/db';
import { consentView } from '@outdial/engine';
import type { RouteDeps } from '../../deps.ts';
import { answerPieces } from '../../http/answer-pieces.ts';
import type { RouteRequest, Sent } from '../../http/define-route.ts';
import { notFound } from '../../http/resource-id.ts';
import { numberChangeView } from '../number-changes/number-change-view.ts';
import { numberQueryView } from '../number-queries/list.ts';
import { scrubListView } from '../scrub-lists/scrub-list-view.ts';
import { suppressionView } from '../suppressions/suppression-view.ts';
import { each, inPages, personFile, rowsAtMost } from './person-file.ts';

/**
 * Answers with a file about a number: what is kept of it for compliance, and its dials as `dialsOf` shows them.
 * @throws NotFoundError if the organization knows nothing of the number
 */
export async function answerPerson(
  { organizationId, params, res }: RouteRequest<{ phone_number: string }, unknown, unknown>,
  { db, longAnswers }: RouteDeps,
  dialsOf: (
    person: PersonKey,
    callIds: readonly string[],
  ) => Readonly<Record<'recipients' | 'calls', AsyncIterable<object>>>,
): Promise<Sent> {
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
      ...dialsOf(person, callIds),
    }),
  );
}
