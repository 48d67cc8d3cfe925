import { z } from 'zod';
import { dateTime, uuid } from './fields.ts';

/** Answer of `GET /campaigns/{campaign_id}/refusals`. */
export const campaignRefusals = z
  .object({
    campaign_id: uuid,
    as_of: dateTime,
    refused: z
      .array(
        z.object({
          condition: z.string().describe('The code of the condition, as in `refused_by`.'),
          text: z.string().describe('What the condition requires.'),
          rules: z
            .array(z.string())
            .describe('The rules of the places of these people, for a condition that depends on them.'),
          people: z.int(),
        }),
      )
      .describe('How many recipients were refused, by the last condition that refused each; most first.'),
  })
  .meta({
    id: 'CampaignRefusals',
    examples: [
      {
        campaign_id: '0195d2f0-7c1e-7a6b-9f3e-2b8f4c5d6e70',
        as_of: '2026-03-02T08:20:00.000Z',
        refused: [
          {
            condition: 'no_consent',
            text: 'A consent in force covers the purpose of the call.',
            rules: ['Germany'],
            people: 12,
          },
        ],
      },
    ],
  });

export type CampaignRefusals = z.output<typeof campaignRefusals>;
