import { z } from 'zod';
import { countryOfNumbers, notationOfNumbers } from './import-lines.ts';
import { campaignSummary } from './campaign-progress.ts';

/** The text parts of `POST /campaigns/import`, in addition to `file`. */
export const importCampaignBody = z
  .strictObject({
    campaign: z
      .string()
      .max(100_000)
      .optional()
      .describe(
        'The campaign as JSON, as in `POST /campaigns`, without `phone_numbers`, which come from the file. Required without `preview`.',
      ),
    mapping: z
      .string()
      .max(100_000)
      .optional()
      .describe(
        'A JSON object that maps the name of a column to `phone_number`, `timezone`, `region`, `postal_code` or the name of a prompt value (`prompt_params.state` for one that is named like a place), or to null to skip the column. ' +
          'Columns that are not listed keep their names.',
      ),
    country: countryOfNumbers,
    numbers: notationOfNumbers,
    dry_run: z
      .enum(['true', 'false'])
      .optional()
      .describe(
        'If `true`, checks the file and reports what would be imported, without creating a campaign. If the campaign itself would be rejected, `meta.warnings` has the reason as `would_be_refused`. Invalid fields return a 422 that also lists the first hundred rejected rows.',
      ),
    preview: z
      .enum(['true', 'false'])
      .optional()
      .describe(
        'If `true`, together with `dry_run`, shows the file in `data.preview`, and does not look at `campaign`. If it is not clear which column has the phone numbers, no row is taken, and `meta.warnings` has the reason as `would_be_refused`.',
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

const previewedRow = z.object({
  line: z.int(),
  cells: z.array(z.string()).describe('In the order of `columns`.'),
});

const tablePreview = z
  .object({
    columns: z.array(
      z.object({
        name: z.string(),
        hidden: z.boolean().describe('The sheet does not show this column.'),
        empty: z.int().describe('The number of rows without a value in this column.'),
        values: z
          .array(z.object({ value: z.string(), rows: z.int() }))
          .nullable()
          .describe('The different values, the most frequent first. Null if there are many, or long ones.'),
      }),
    ),
    rows: z.array(previewedRow).describe('The first hundred rows.'),
    refused: z
      .array(previewedRow)
      .describe('The rows of `refused` that have cells, the first ten thousand at most.'),
  })
  .describe('The file as it was read. Only with `preview`.');

export const importedCampaign = z
  .object({
    campaign: campaignSummary.nullable().describe('The new campaign. Null for a dry run.'),
    dry_run: z.boolean(),
    rows: z.int().describe('The number of rows in the file, not counting the header.'),
    taken: z.int(),
    refused: z.array(
      z.object({
        line: z.int(),
        column: z.string().nullable(),
        value: z.string().nullable().describe('The invalid value, masked.'),
        reason: z.string(),
      }),
    ),
    preview: tablePreview.optional(),
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

export type ImportedCampaign = z.output<typeof importedCampaign>;
