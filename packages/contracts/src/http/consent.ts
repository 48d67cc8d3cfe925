import { campaignPurposes, consentBases } from '@outdial/core';
import { z } from 'zod';
import { createdPosition, cursorParameters } from './cursor.ts';
import { exampleIds } from './example-values.ts';
import { dateTime, e164, uuid } from './fields.ts';
import { importedItems, refusedLines, rowsOfList } from './import-lines.ts';
import { instant } from './span.ts';

const example = {
  phone_number: '+15551230042',
  basis: 'prior_express_written' as const,
  scope: ['marketing' as const],
  text_shown: 'I agree that Acme calls me with an artificial voice about its offers.',
  source: 'https://acme.example/signup',
  evidence_hash: 'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
};

const recorded = {
  id: '0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c13',
  ...example,
  given_at: '2026-03-01T09:00:00.000Z',
  expires_at: null,
  revoked_at: null,
  revocation_reason: null,
  number_changed_at: null,
  last_used_at: null,
  uses: 0,
  created_at: '2026-03-01T09:00:05.000Z',
};

export const consent = z
  .object({
    id: uuid,
    phone_number: z.string(),
    basis: z.enum(consentBases),
    scope: z
      .array(z.enum(campaignPurposes))
      .nullable()
      .describe('The purposes that the consent covers. Null covers all.'),
    text_shown: z.string().nullable(),
    source: z.string(),
    evidence_hash: z.string().nullable(),
    given_at: dateTime,
    expires_at: dateTime.nullable(),
    revoked_at: dateTime.nullable(),
    revocation_reason: z.string().nullable(),
    number_changed_at: dateTime
      .nullable()
      .describe(
        'When the number was ported or reassigned after the consent was given. The consent is not valid from then on.',
      ),
    last_used_at: dateTime.nullable().describe('When a call was last placed on the basis of this consent.'),
    uses: z.int().describe('How many calls were placed on the basis of this consent.'),
    created_at: dateTime,
  })
  .meta({
    id: 'Consent',
    examples: [recorded],
  });

/** Answer of `GET /people/{phone_number}/consents`. */
export const consentProof = z
  .object({
    phone_number: z.string(),
    as_of: dateTime,
    consents: z
      .array(
        consent.extend({
          calls: z
            .array(z.object({ call_id: uuid, campaign_id: uuid.nullable(), dialed_at: dateTime }))
            .describe(
              'The calls placed on the basis of this consent, newest first. Each has a receipt. Deleted calls are only counted in `uses`.',
            ),
        }),
      )
      .describe('All consents of the person, newest first, including expired and revoked ones.'),
    complete: z
      .boolean()
      .describe('False if there are more than 100 consents or 1,000 calls, and some are left out.'),
  })
  .meta({
    id: 'ConsentProof',
    examples: [
      {
        phone_number: recorded.phone_number,
        as_of: '2026-03-02T09:00:00.000Z',
        consents: [
          {
            ...recorded,
            last_used_at: '2026-03-02T08:20:00.000Z',
            uses: 1,
            calls: [
              {
                call_id: exampleIds.call,
                campaign_id: exampleIds.campaign,
                dialed_at: '2026-03-02T08:20:00.000Z',
              },
            ],
          },
        ],
        complete: true,
      },
    ],
  });

export type ConsentProof = z.output<typeof consentProof>;

const details = {
  basis: z.enum(consentBases),
  scope: z
    .array(z.enum(campaignPurposes))
    .min(1)
    .max(10)
    .transform((list) => [...new Set(list)])
    .nullish()
    .describe('The purposes of campaigns that the consent covers. All by default.'),
  text_shown: z.string().max(10_000).nullish().describe('The exact text that the person agreed to.'),
  source: z
    .string()
    .min(1)
    .max(500)
    .describe('Where the consent was given, such as a page, a form or a call.'),
  evidence_hash: z
    .string()
    .max(200)
    .nullish()
    .describe('A hash of the record that proves the consent, which you keep elsewhere.'),
  given_at: instant,
  expires_at: instant.nullish(),
};

export const addConsentBody = z.strictObject({ phone_number: e164, ...details }).meta({
  id: 'AddConsent',
  examples: [{ ...example, given_at: '2026-03-01T09:00:00Z' }],
});

export type AddConsentBody = z.output<typeof addConsentBody>;

export const consentsAtMost = 10_000;

/** Body of `POST /consents/import`. Rows are checked separately, so that an invalid row does not refuse the others. */
export const importConsentsBody = z
  .strictObject(
    importedItems(consentsAtMost, 'The consents to record, in a JSON body. A form has a file instead.'),
  )
  .meta({ id: 'ImportConsents', examples: [{ items: [{ ...example, given_at: '2026-03-01T09:00:00Z' }] }] });

export const consentImport = z
  .object({
    rows: rowsOfList,
    added: z.int(),
    refused: refusedLines,
  })
  .meta({ id: 'ConsentImport' });

export const revokeConsentBody = z
  .strictObject({ reason: z.string().max(500).nullish() })
  .meta({ id: 'RevokeConsent', examples: [{ reason: 'asked for it on a call' }] });

export const listConsentsQuery = cursorParameters(createdPosition).extend({
  phone_number: e164
    .optional()
    .describe('Only consents of this phone number, in E.164 format. Encode the plus sign as %2B.'),
});
