import { z } from 'zod';
import { createdTextPosition, cursorParameters } from './cursor.ts';
import { dateTime, e164, uuid } from './fields.ts';
import { importedItems, rowsOfList } from './import-lines.ts';
import { instant } from './span.ts';

const example = {
  phone_number: '+15551230042',
  reason: 'asked not to be called',
  source: 'api',
  note: 'told the agent on 1 March',
  created_by: { id: '0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c12', first_name: 'Ada', last_name: 'Lovelace' },
  created_at: '2026-03-01T09:00:00.000Z',
  expires_at: null,
};

export const suppression = z
  .object({
    phone_number: z.string(),
    reason: z.string().nullable(),
    source: z
      .string()
      .nullable()
      .describe('Where the entry comes from: `api`, `import`, or the source that was given.'),
    note: z.string().nullable(),
    created_by: z
      .object({ id: uuid, first_name: z.string(), last_name: z.string() })
      .nullable()
      .describe('The user who added the number. Null for an operator.'),
    created_at: dateTime,
    expires_at: dateTime.nullable().describe('When the number may be dialed again. Null means never.'),
  })
  .meta({ id: 'Suppression', examples: [example] });

export type Suppression = z.output<typeof suppression>;

/** What a suppression says besides its number. */
const suppressionDetails = {
  reason: z.string().max(500).nullish(),
  note: z.string().max(2_000).nullish(),
  expires_at: instant.nullish(),
};

const source = z.string().min(1).max(100);

export const addSuppressionBody = z
  .strictObject({
    phone_number: e164,
    source: source.nullish(),
    ...suppressionDetails,
    channel: z
      .string()
      .min(1)
      .max(100)
      .nullish()
      .describe('How the person asked, such as `email` or `letter`. By default the source.'),
    words: z.string().max(2_000).nullish().describe('What the person said or wrote. By default the reason.'),
    received_at: instant.nullish().describe('When the request was received. By default now.'),
  })
  .meta({
    id: 'AddSuppression',
    examples: [{ phone_number: example.phone_number, reason: example.reason, note: example.note }],
  });

export const suppressionsAtMost = 100_000;

/** A row of a list, checked separately, so that an invalid one does not refuse the others. Its number is judged later: it may be written as in a spreadsheet. */
export const suppressionRow = z.strictObject({
  phone_number: z.string().max(1_000).default(''),
  ...suppressionDetails,
});

export const importSuppressionsBody = z
  .strictObject({
    ...importedItems(
      suppressionsAtMost,
      'The numbers to suppress, in a JSON body, each with `phone_number` and optionally `reason`, `note` and `expires_at`. A form has a file instead.',
    ),
    source: source.nullish(),
  })
  .meta({
    id: 'ImportSuppressions',
    examples: [
      {
        items: [
          { phone_number: '+15551230042', reason: 'asked not to be called' },
          { phone_number: '+15551230043' },
        ],
      },
    ],
  });

export const suppressionImport = z
  .object({
    rows: rowsOfList,
    added: z.int().describe('The number of phone numbers that were not on the list yet.'),
    known: z.int().describe('The number of phone numbers that were already on the list.'),
    repeated: z.int().describe('The number of rows with the phone number of an earlier row.'),
    refused: z
      .array(z.object({ line: z.int(), phone_number: z.string(), reason: z.string() }))
      .describe(
        'The rows that were skipped, each with its line in the file or its position in `items`, counted from 1. Phone numbers are masked.',
      ),
  })
  .meta({
    id: 'SuppressionImport',
    examples: [
      {
        rows: 4,
        added: 2,
        known: 1,
        repeated: 0,
        refused: [{ line: 4, phone_number: '+1•••3', reason: 'has a phone number that is too short' }],
      },
    ],
  });

export const listSuppressionsQuery = cursorParameters(createdTextPosition).extend({
  phone_number: e164
    .optional()
    .describe('Only the entry of this phone number, in E.164 format. Encode the plus sign as %2B.'),
});
