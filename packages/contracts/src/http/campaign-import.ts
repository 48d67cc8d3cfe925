import { z } from 'zod';
import { campaignSummary } from './campaign-progress.ts';

/** The text parts of `POST /campaigns/import`, in addition to `file`. */
export const importCampaignBody = z
  .strictObject({
    campaign: z
      .string()
      .max(100_000)
      .describe('JSON as in POST /campaigns, without `phone_numbers`: those are in the file'),
    mapping: z
      .string()
      .max(100_000)
      .optional()
      .describe(
        'JSON: the name of a column → `phone_number`, `timezone`, the name of a value for the prompt, or null to leave the column out. ' +
          'Other columns keep their own name',
      ),
    country: z
      .string()
      .regex(/^[A-Za-z]{2}$/, 'Input should be a country by its two letters, such as US (ISO 3166)')
      .optional()
      .describe('The country of numbers without one'),
    dry_run: z
      .enum(['true', 'false'])
      .optional()
      .describe(
        '`true` checks the file and reports what it would import, without creating a campaign. What the creation would be refused with is in `meta.warnings`, as `would_be_refused`; faulty fields are a 422 that also names the first hundred refused rows',
      ),
  })
  .meta({
    id: 'ImportCampaign',
    examples: [
      {
        campaign: '{"name": "Spring", "agent_id": "0195d2ed-4908-7b0a-8c1d-9e0f1a2b3c4d"}',
        mapping: '{"Telefon": "phone_number", "Vorname": "name"}',
        country: 'DE',
        dry_run: 'true',
      },
    ],
  });

export const importedCampaign = z
  .object({
    campaign: campaignSummary.nullable().describe('Null for a dry run'),
    dry_run: z.boolean(),
    rows: z.int().describe('Of the file, without its first line'),
    taken: z.int(),
    refused: z.array(
      z.object({
        line: z.int(),
        column: z.string().nullable(),
        value: z.string().nullable().describe('Masked'),
        reason: z.string(),
      }),
    ),
  })
  .meta({
    id: 'ImportedCampaign',
    examples: [
      {
        campaign: null,
        dry_run: true,
        rows: 3,
        taken: 2,
        refused: [
          { line: 4, column: 'Telefon', value: '•••••12', reason: 'has a phone number that is too short' },
        ],
      },
    ],
  });

export type ImportCampaignBody = z.output<typeof importCampaignBody>;
export type ImportedCampaign = z.output<typeof importedCampaign>;
