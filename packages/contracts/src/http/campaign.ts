import { campaignPurposes, consentBases } from '@outdial/core';
import { z } from 'zod';
import { exampleIds, exampleNumbers } from './example-values.ts';
import { dateTime, freeForm, uuid } from './fields.ts';
import { outcome } from './outcome.ts';
import { page } from './page.ts';
import { retryDelays } from './retry-delays.ts';

export const campaignStatus = z.enum(['draft', 'paused', 'running', 'finished', 'canceled']);

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

export const campaignConfig = z
  .object({
    id: uuid,
    created_at: dateTime,
    campaign_id: uuid,
    call_on_weekend: z.boolean(),
    queue_again: z.boolean(),
    call_back_attempts: z.int(),
    retry_delay_seconds: z.int(),
    retry_delays_seconds: retryDelays.nullable(),
    retry_on: z.array(outcome),
    max_concurrent_calls: z.int(),
    calls_per_second: z.number().nullable(),
    max_attempts_per_recipient: z.int().nullable(),
    priority: z.int(),
    purpose: z.enum(campaignPurposes).nullable(),
    require_consent: z.boolean(),
    consent_bases: z.array(z.enum(consentBases)).nullable(),
    scrub_lists: z
      .array(z.string())
      .nullable()
      .describe('The names of the scrub lists that the campaign needs. Null for none.'),
    reassigned_query_days: z
      .int()
      .nullable()
      .describe('How many days old the newest query of a number may be. Null if none is needed.'),
  })
  .meta({
    id: 'CampaignConfig',
    examples: [
      {
        id: '0195d2ef-6b0a-7d1c-8e2f-1a2b3c4d5e6f',
        created_at: '2026-03-02T13:58:00.000Z',
        campaign_id: '0195d2ee-5a09-7c0b-9d1e-0f1a2b3c4d5e',
        call_on_weekend: false,
        queue_again: false,
        call_back_attempts: 2,
        retry_delay_seconds: 900,
        retry_delays_seconds: [900, 3600, 86_400],
        retry_on: ['no_answer', 'busy'],
        max_concurrent_calls: 10,
        calls_per_second: null,
        max_attempts_per_recipient: null,
        priority: 0,
        purpose: null,
        require_consent: false,
        consent_bases: null,
        scrub_lists: ['us-national-dnc'],
        reassigned_query_days: null,
      },
    ],
  });

export type Campaign = z.output<typeof campaign>;
export type CampaignConfig = z.output<typeof campaignConfig>;
