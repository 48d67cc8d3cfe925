import { numberChangeKinds } from '@outdial/core';
import { z } from 'zod';
import { createdPosition, cursorParameters } from './cursor.ts';
import { dateTime, e164, uuid } from './fields.ts';
import { importedItems, refusedLines, rowsOfList } from './import-lines.ts';
import { instant } from './span.ts';

const example = {
  phone_number: '+15551230042',
  kind: 'reassigned' as const,
  source: 'Reassigned Numbers Database',
};

export const numberChange = z
  .object({
    id: uuid,
    phone_number: z.string(),
    kind: z.enum(numberChangeKinds),
    changed_at: dateTime,
    source: z.string(),
    created_at: dateTime,
  })
  .meta({
    id: 'NumberChange',
    examples: [
      {
        id: '0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c15',
        ...example,
        changed_at: '2026-02-14T00:00:00.000Z',
        created_at: '2026-03-01T09:00:05.000Z',
      },
    ],
  });

/** An item of `POST /number-changes/import`. */
export const numberChangeItem = z.strictObject({
  phone_number: e164,
  kind: z.enum(numberChangeKinds),
  changed_at: instant,
  source: z.string().min(1).max(500),
});

export const numberChangesAtMost = 10_000;

/** Body of `POST /number-changes/import`. Rows are checked separately, so that an invalid row does not refuse the others. */
export const importNumberChangesBody = z
  .strictObject(
    importedItems(
      numberChangesAtMost,
      'The changes to import, in a JSON body: each with `phone_number`, `kind`, `changed_at` and `source`. A form has a file instead.',
    ),
  )
  .meta({
    id: 'ImportNumberChanges',
    examples: [{ items: [{ ...example, changed_at: '2026-02-14T00:00:00Z' }] }],
  });

export const numberChangeImport = z
  .object({
    rows: rowsOfList,
    added: z.int(),
    known: z.int().describe('The number of changes that were already recorded, or repeat an earlier row.'),
    refused: refusedLines,
  })
  .meta({ id: 'NumberChangeImport' });

export const listNumberChangesQuery = cursorParameters(createdPosition).extend({
  phone_number: e164
    .optional()
    .describe('Only changes of this phone number, in E.164 format. Encode the plus sign as %2B.'),
});
