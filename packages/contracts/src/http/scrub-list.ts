import { faultOfPlace, numberNotations, scrubGoodForDays } from '@outdial/core';
import { z } from 'zod';
import { createdPosition, cursorParameters } from './cursor.ts';
import { dateTime, e164, uuid } from './fields.ts';
import { columnMapping, countryOfNumbers, rowsOfList } from './import-lines.ts';
import { instant } from './span.ts';

/** How callers name a list, in paths and configs. */
export const scrubListName = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9._-]{0,62}$/,
    'Input should be a name of up to 63 lowercase letters, digits, dots, dashes and underscores, such as us-national-dnc',
  );

const example = {
  name: 'us-national-dnc',
  source: 'National Do Not Call Registry',
  account: '10034221-54321',
  jurisdiction: 'US',
  scrubbed_at: '2026-03-01T06:00:00.000Z',
};

export const scrubList = z
  .object({
    id: uuid,
    name: z.string(),
    source: z.string(),
    account: z.string().nullable().describe('The account under which the list was obtained.'),
    scrubbed_at: dateTime
      .nullable()
      .describe('When the newest complete version was obtained. Null until there is one.'),
    jurisdiction: z
      .string()
      .nullable()
      .describe('The country or state whose registry this is. Its law decides how old a version may be.'),
    good_for_days: z.int().describe('How many days a version is good for.'),
    good_until: dateTime
      .nullable()
      .describe(
        '`good_for_days` after `scrubbed_at`. After this time, campaigns that need the list wait for a newer version.',
      ),
    created_at: dateTime,
    updated_at: dateTime,
  })
  .meta({
    id: 'ScrubList',
    examples: [
      {
        id: '0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c14',
        ...example,
        good_for_days: 31,
        good_until: '2026-04-01T06:00:00.000Z',
        created_at: '2026-02-01T09:00:05.000Z',
        updated_at: '2026-03-01T09:00:05.000Z',
      },
    ],
  });

export type ScrubList = z.output<typeof scrubList>;

export const scrubbedNumbersAtMost = 10_000;

/** Of a form, fields are text. */
const flag = z.union([z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')]);

/** Body of `POST /scrub-lists/import`. Numbers are checked separately, so that an invalid one does not refuse the others. */
export const importScrubListBody = z
  .strictObject({
    name: scrubListName,
    source: z.string().min(1).max(500).describe('The registry or vendor that provides the list.'),
    account: z
      .string()
      .min(1)
      .max(200)
      .nullish()
      .describe('The subscription or organization number under which the list was obtained.'),
    scrubbed_at: instant.describe(
      'When this version was obtained. Parts of the same version have the same time.',
    ),
    jurisdiction: z
      .string()
      .max(5)
      .refine((region) => faultOfPlace({ region }) === null, {
        error:
          'Input should be a country (DE), or a state or province of the United States or Canada (US-FL)',
      })
      .optional()
      .describe(
        'The country or state whose registry this is. A version is good for as long as its law allows: Italy 15 days, Singapore 21, the United Kingdom 28, Australia and France 30, others 31. Without it, as before, or 31 days.',
      ),
    good_for_days: z
      .union([
        z.int(),
        z
          .string()
          .regex(/^\d{1,2}$/)
          .transform(Number),
      ])
      .pipe(z.int().min(1).max(scrubGoodForDays))
      .optional()
      .describe('Fewer days than the law of the jurisdiction allows. More have no effect.'),
    force: flag
      .default(false)
      .describe(
        'Take a complete version that is empty, or has less than half of the numbers of the one before.',
      ),
    complete: flag.describe(
      'Whether this is the whole version or its last part; false if more parts of this version follow. A part that is declared complete is refused as a whole if one of its lines cannot be read. A complete version replaces the previous one; until then, the numbers of both versions apply. One that is empty, or has less than half of the numbers of the previous one, is refused unless `force` is true.',
    ),
    numbers: z
      .union([z.array(z.string().max(100)).max(scrubbedNumbersAtMost), z.enum(numberNotations)])
      .optional()
      .describe(
        'In a JSON body, the phone numbers; may be empty. A form has a file instead, and here says how its numbers without a leading `+` are written: `international`, with the country code, or `national`.',
      ),
    country: countryOfNumbers,
    mapping: columnMapping,
  })
  .meta({
    id: 'ImportScrubList',
    examples: [{ ...example, complete: true, numbers: ['+15551230042', '+15551230043'] }],
  });

export const scrubListImport = z
  .object({
    list: scrubList,
    rows: rowsOfList,
    added: z.int().describe('The number of phone numbers that were not in this version yet.'),
    known: z.int().describe('The number of those that were, or that an earlier row has.'),
    refused: z
      .array(z.object({ line: z.int(), reason: z.string() }))
      .describe(
        'The rows that were skipped, each with its line in the file or its position in `numbers`, counted from 1.',
      ),
  })
  .meta({ id: 'ScrubListImport' });

export const listScrubListsQuery = cursorParameters(createdPosition).extend({
  phone_number: e164
    .optional()
    .describe('Only lists that contain this phone number, in E.164 format. Encode the plus sign as %2B.'),
});
