import { z } from 'zod';
import { call } from './call.ts';
import { consent } from './consent.ts';
import { dateTime, e164, freeForm, uuid } from './fields.ts';
import { importedItems, refusedLines, rowsOfList } from './import-lines.ts';
import { numberChange } from './number-change.ts';
import { numberQuery } from './number-query.ts';
import { receipt, refusals } from './receipt.ts';
import { scrubList } from './scrub-list.ts';
import { suppression } from './suppression.ts';

export const erasureBody = z
  .strictObject({
    phone_number: e164,
    keep_suppressed: z
      .boolean()
      .default(false)
      .describe('Whether to keep the number on the suppression list, and nowhere else.'),
    forget_opt_out: z
      .boolean()
      .default(false)
      .describe(
        'Whether to forget that the person asked for no calls. By default, a keyed hash of a suppressed number stays, which cannot be read as a number, so that the person is not called again.',
      ),
  })
  .meta({ id: 'ErasePerson', examples: [{ phone_number: '+15551230042', keep_suppressed: true }] });

/** A receipt, without the number. */
export const erasure = z
  .object({
    id: uuid,
    created_at: dateTime,
    requested_by: uuid.nullable().describe('The user who requested the erasure. Null for an operator.'),
    state: z
      .enum(['done', 'pending', 'failed'])
      .describe(
        '`pending` while recordings still have to be deleted by their providers; `failed` if a provider refused.',
      ),
    calls: z.int().describe('The number of calls from which the phone number was removed.'),
    recipients: z.int(),
    suppressions: z.int(),
    recordings: z.object({ deleted: z.int(), pending: z.int(), failed: z.int() }),
  })
  .meta({
    id: 'Erasure',
    examples: [
      {
        id: '0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c11',
        created_at: '2026-03-01T09:00:00.000Z',
        requested_by: '0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c12',
        state: 'done',
        calls: 3,
        recipients: 1,
        suppressions: 0,
        recordings: { deleted: 2, pending: 0, failed: 0 },
      },
    ],
  });

export type Erasure = z.output<typeof erasure>;

const recipientOfPerson = z.object({
  id: uuid,
  campaign_id: uuid,
  campaign_name: z.string(),
  state: z.string(),
  attempts: z.int(),
  round: z.int(),
  last_outcome: z.string().nullable(),
  timezone: z.string(),
  prompt_params: freeForm.nullable(),
  first_attempt_at: dateTime.nullable(),
  next_attempt_at: dateTime.nullable(),
});

/** What is kept of a number for compliance. */
const keptOfPerson = {
  phone_number: z.string(),
  exported_at: dateTime,
  person_ref: z.string().nullable().describe('Your name of the person, if you gave one.'),
  other_numbers: z.array(z.string()).describe('The other numbers of the person.'),
  suppression: suppression.nullable().describe('The current entry of the suppression list.'),
  scrub_lists: z.array(scrubList).describe('The scrub lists that have the number now.'),
  revocations: z
    .array(
      z.object({
        channel: z
          .string()
          .describe(
            'How the request came: `call`, `call_key`, `call_speech`, `call_message`, `consent` for a consent that was revoked, or what the request to the interface said.',
          ),
        words: z.string().nullable(),
        received_at: dateTime,
        call_id: uuid.nullable(),
        consent_id: uuid.nullable(),
        created_at: dateTime,
      }),
    )
    .describe('What the person asked, also if the number has left the suppression list since.'),
  consents: z.array(consent).describe('The consents as they were presented.'),
  number_queries: z.array(numberQuery),
  number_changes: z.array(numberChange),
  complete: z.boolean().describe('False if a list has more than its newest 1,000 entries.'),
};

export const personExport = z
  .object({
    ...keptOfPerson,
    recipients: z.array(recipientOfPerson),
    calls: z
      .array(call)
      .describe("The person's calls, newest first. Read more with `GET /calls?phone_number=`."),
  })
  .meta({ id: 'PersonExport' });

/** Answer of `GET /people/{phone_number}/defense`. */
export const personDefense = z
  .object({
    ...keptOfPerson,
    recipients: z
      .array(recipientOfPerson.omit({ prompt_params: true }).extend({ refusals: refusals.nullable() }))
      .describe('The campaigns that listed the number, and how often calls were refused.'),
    calls: z.array(receipt).describe('The receipts of the calls, newest first.'),
  })
  .meta({ id: 'PersonDefense' });

export type PersonDefense = z.output<typeof personDefense>;

/** An item of `POST /people/import`. */
export const personNumberItem = z.strictObject({
  phone_number: e164,
  person_ref: z.string().trim().min(1).max(200),
});

export const personNumbersAtMost = 10_000;

/** Body of `POST /people/import`. Rows are checked separately, so that an invalid row does not refuse the others. */
export const importPersonNumbersBody = z
  .strictObject(
    importedItems(
      personNumbersAtMost,
      'The numbers, in a JSON body: each with `phone_number` and `person_ref`. A form has a file instead.',
    ),
  )
  .meta({
    id: 'ImportPersonNumbers',
    examples: [
      {
        items: [
          { phone_number: '+15551230042', person_ref: 'customer-4711' },
          { phone_number: '+15551230043', person_ref: 'customer-4711' },
        ],
      },
    ],
  });

export const personNumberImport = z
  .object({
    rows: rowsOfList,
    added: z.int().describe('The number of phone numbers that belonged to nobody before.'),
    known: z.int().describe('The number of rows whose phone number was known, or repeats an earlier row.'),
    refused: refusedLines,
  })
  .meta({ id: 'PersonNumberImport' });
