import { numberQueryAnswers } from '@outdial/core';
import { z } from 'zod';
import { createdPosition, cursorParameters } from './cursor.ts';
import { dateTime, e164, uuid } from './fields.ts';
import { importedItems, refusedLines, rowsOfList } from './import-lines.ts';
import { instant } from './span.ts';

const example = {
  phone_number: '+15551230042',
  answer: 'no' as const,
  source: 'Reassigned Numbers Database',
};

const answer = z
  .enum(numberQueryAnswers)
  .describe('Whether the number was given up: `no`, `yes`, or `no_data` if the registry does not know.');

export const numberQuery = z
  .object({
    id: uuid,
    phone_number: z.string(),
    queried_at: dateTime,
    answer,
    since: dateTime.nullable().describe('Since when the query asked, such as the time of the consent.'),
    source: z.string(),
    created_at: dateTime,
  })
  .meta({
    id: 'NumberQuery',
    examples: [
      {
        id: '0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c16',
        ...example,
        queried_at: '2026-03-01T06:00:00.000Z',
        since: '2025-06-01T00:00:00.000Z',
        created_at: '2026-03-01T09:00:05.000Z',
      },
    ],
  });

/** An item of `POST /number-queries/import`. */
export const numberQueryItem = z.strictObject({
  phone_number: e164,
  queried_at: instant,
  answer,
  since: instant.nullish(),
  source: z.string().min(1).max(500),
});

export const numberQueriesAtMost = 10_000;

/** Body of `POST /number-queries/import`. Rows are checked separately, so that an invalid row does not refuse the others. */
export const importNumberQueriesBody = z
  .strictObject(
    importedItems(
      numberQueriesAtMost,
      'The queries to record, in a JSON body: each with `phone_number`, `queried_at`, `answer` and `source`. A form has a file instead.',
    ),
  )
  .meta({
    id: 'ImportNumberQueries',
    examples: [{ items: [{ ...example, queried_at: '2026-03-01T06:00:00Z' }] }],
  });

export const numberQueryImport = z
  .object({
    rows: rowsOfList,
    added: z.int(),
    known: z.int().describe('The number of queries that were already recorded, or repeat an earlier row.'),
    refused: refusedLines,
  })
  .meta({ id: 'NumberQueryImport' });

export const listNumberQueriesQuery = cursorParameters(createdPosition).extend({
  phone_number: e164
    .optional()
    .describe('Only queries about this phone number, in E.164 format. Encode the plus sign as %2B.'),
});
