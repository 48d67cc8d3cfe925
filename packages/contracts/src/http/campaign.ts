import { campaignStatuses } from '@outdial/core';
import { z } from 'zod';
import { exampleIds, exampleNumbers } from './example-values.ts';
import { dateTime, freeForm, uuid } from './fields.ts';
import { page } from './page.ts';

export const campaignStatus = z.enum(campaignStatuses);

export const campaign = z
  .object({
    id: uuid,
    created_at: dateTime,
    name: z.string(),
    agent_id: uuid,
    status: campaignStatus,
    start_date: dateTime,
    end_date: dateTime.nullable().describe('When dialing ends. Null if the campaign is open-ended.'),
    start_time: z.string(),
    end_time: z.string(),
    phone_numbers: z.array(z.string()),
    organization_id: uuid,
    additional_params: freeForm,
  })
  .meta({
    id: 'Campaign',
    examples: [
      {
        id: exampleIds.campaign,
        created_at: '2026-03-02T13:58:00.000Z',
        name: 'Spring',
        agent_id: exampleIds.agent,
        status: 'running',
        start_date: '2026-03-02T14:00:00.000Z',
        end_date: '2026-03-31T21:30:00.000Z',
        start_time: '09:00',
        end_time: '17:30',
        phone_numbers: [exampleNumbers[0], exampleNumbers[1]],
        organization_id: exampleIds.organization,
        additional_params: {
          timezone: 'America/New_York',
          recipients: { [exampleNumbers[0]]: { prompt_params: { name: 'Ada' } } },
        },
      },
    ],
  });

export const campaignPage = page(campaign).meta({ id: 'CampaignPage' });

export type Campaign = z.output<typeof campaign>;
