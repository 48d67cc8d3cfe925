import { campaignPurposes, consentBases } from '@outdial/core';
import { z } from 'zod';
import { createdPosition, cursorParameters } from './cursor.ts';
import { exampleIds } from './example-values.ts';
import { dateTime, e164, uuid } from './fields.ts';
import { importedItems, refusedLines } from './import-lines.ts';
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
    scope: z.array(z.enum(campaignPurposes)).nullable().describe('Purposes that it covers; null covers all'),
    text_shown: z.string().nullable(),
    source: z.string(),
    evidence_hash: z.string().nullable(),
    given_at: dateTime,
    expires_at: dateTime.nullable(),
    revoked_at: dateTime.nullable(),
    revocation_reason: z.string().nullable(),
    number_changed_at: dateTime
      .nullable()
      .describe('When the number was ported or reassigned since; from then on the consent does not count'),
    last_used_at: dateTime.nullable().describe('When a dial last relied on it'),
    uses: z.int().describe('How many dials relied on it'),
    created_at: dateTime,
  })
  .meta({
    id: 'Consent',
    examples: [recorded],
  });

export type Consent = z.output<typeof consent>;

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
              'The calls that relied on it, newest first; each has a receipt. Deleted calls are only counted in `uses`',
            ),
        }),
      )
      .describe('Newest first, also those that expired or were revoked'),
    complete: z.boolean().describe('False beyond 100 consents or 1,000 calls'),
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
    .describe('Purposes of campaigns that it covers; without it, all'),
  text_shown: z.string().max(10_000).nullish().describe('What the person agreed to, word for word'),
  source: z.string().min(1).max(500).describe('The place where it was given: a page, a form, a call'),
  evidence_hash: z.string().max(200).nullish().describe('Of the record that proves it, kept elsewhere'),
  given_at: instant,
  expires_at: instant.nullish(),
};

/** Body of `POST /consents`. */
export const addConsentBody = z.strictObject({ phone_number: e164, ...details }).meta({
  id: 'AddConsent',
  examples: [{ ...example, given_at: '2026-03-01T09:00:00Z' }],
});

export type AddConsentBody = z.output<typeof addConsentBody>;

export const consentsAtMost = 10_000;

/** Body of `POST /consents/import`. Rows are checked separately, so that an invalid row does not refuse the others. */
export const importConsentsBody = z
  .strictObject(importedItems(consentsAtMost, 'Of a JSON body; a form has a file instead'))
  .meta({ id: 'ImportConsents', examples: [{ items: [{ ...example, given_at: '2026-03-01T09:00:00Z' }] }] });

export const consentImport = z
  .object({
    added: z.int(),
    refused: refusedLines,
  })
  .meta({ id: 'ConsentImport' });

/** Body of `POST /consents/{consent_id}/revoke`. */
export const revokeConsentBody = z
  .strictObject({ reason: z.string().max(500).nullish() })
  .meta({ id: 'RevokeConsent', examples: [{ reason: 'said so in a call' }] });

export const listConsentsQuery = cursorParameters(createdPosition).extend({
  phone_number: e164.optional().describe('E.164; encode its plus sign as %2B'),
});
