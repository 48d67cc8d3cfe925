import {
  importNumberQueriesBody,
  judgeLines,
  type LineFault,
  numberQueriesAtMost,
  numberQueryImport,
  numberQueryItem,
} from '@outdial/contracts';
import { itemOfFields } from '@outdial/core';
import { addNumberQueries, type NewNumberQuery } from '@outdial/db';
import type { z } from 'zod';
import { defineItemsImport } from '../../http/define-items-import.ts';

export const importNumberQueries = defineItemsImport({
  path: '/api/v1/number-queries/import',
  operationId: 'importNumberQueries',
  summary: 'Record what a registry of reassigned numbers answered',
  description:
    'Accepts a form with a file, or JSON with `items`. The first line of a file names its columns: phone (or phone_number, to, number), queried_at, answer (`no`, `yes` or `no_data`), since and source. ' +
    'A number whose answer is `yes` is recorded as reassigned too: once this returns, no call is based on a consent that was given before the query. Invalid rows are skipped and listed in `refused`; the others are added, all or none.',
  tag: 'consents',
  body: importNumberQueriesBody,
  answer: numberQueryImport,
  rowsAtMost: numberQueriesAtMost,
  fields: ['queried_at', 'answer', 'since', 'source'],
  itemOf: itemOfFields,
  type: 'number_change',
  async add(tx, lines, { organizationId, createdBy, now, numbering }) {
    const judge = (item: z.output<typeof numberQueryItem>): NewNumberQuery | LineFault =>
      item.queried_at > now
        ? { field: 'queried_at', msg: 'queried_at should not be in the future' }
        : { ...item, since: item.since ?? null };
    const { accepted: queries, refused } = await judgeLines(
      lines,
      { schema: numberQueryItem, numbering },
      judge,
    );
    const added = await addNumberQueries(tx, { organizationId, createdBy, queries });
    return { added, known: queries.length - added, refused };
  },
});
