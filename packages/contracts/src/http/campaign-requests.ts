import { parseWallTime } from '@outdial/core';
import { z } from 'zod';
import { campaignStatus } from './campaign.ts';
import { exampleIds, exampleNumbers } from './example-values.ts';
import { freeForm, uuid } from './fields.ts';
import { phoneNumbers } from './phone-numbers.ts';

const name = z.string().min(1).max(255);

function wallTime(bound: 'start' | 'end') {
  const message = 'Input should be a time of day, HH:MM or HH:MM:SS, such as 09:00';
  return z.string(message).refine((text) => parseWallTime(text, bound) !== null, {
    message,
    params: { type: 'value_error' },
  });
}

// Parsed by the engine, because a date without an offset depends on the campaign's zone.
const date = z
  .string('Input should be an ISO 8601 date or date-time, such as 2026-03-02 or 2026-03-02T09:00:00Z')
  .max(64);
const startDate = date.describe(
  "When dialing begins, in ISO 8601. Without an offset, the time is in the campaign's time zone. A date without a time means the beginning of that day.",
);
const endDate = date.describe(
  "When dialing ends, in ISO 8601. Without an offset, the time is in the campaign's time zone. A date without a time means the end of that day.",
);

const additionalParams = freeForm.describe(
  'Stored as sent. Three fields have a meaning: `timezone` (an IANA name), `prompt_params` (values for every recipient), and `recipients` (by phone number, `{prompt_params, timezone, region, postal_code}`).',
);

/** Body of `POST /campaigns`. Null counts as a missing field. */
export const createCampaignBody = z
  .object({
    name,
    agent_id: uuid.toLowerCase(),
    phone_numbers: phoneNumbers,
    status: z
      .enum(['draft', 'paused', 'running'])
      .nullish()
      .describe('`draft` by default. `running` requires the role manager or admin.'),
    start_date: startDate.nullish(),
    end_date: endDate.nullish(),
    start_time: wallTime('start').nullish(),
    end_time: wallTime('end').nullish(),
    organization_id: uuid.nullish(),
    additional_params: additionalParams.nullish(),
  })
  .meta({
    id: 'CreateCampaign',
    examples: [
      {
        name: 'Spring',
        agent_id: exampleIds.agent,
        phone_numbers: [exampleNumbers[0], exampleNumbers[1]],
        start_date: '2026-03-02',
        end_date: '2026-03-31',
        start_time: '09:00',
        end_time: '17:30',
        additional_params: {
          timezone: 'America/New_York',
          prompt_params: { company: 'Acme' },
          recipients: {
            [exampleNumbers[0]]: { prompt_params: { name: 'Ada' } },
            [exampleNumbers[1]]: { prompt_params: { name: 'Grace' }, timezone: 'America/Chicago' },
          },
        },
      },
    ],
  });

/** Body of `PUT /campaigns/{campaign_id}`: replaces the fields that it names. Null changes nothing, except in `end_date`, where it means open-ended. */
export const updateCampaignBody = z
  .object({
    name: name.nullish(),
    agent_id: uuid.toLowerCase().nullish(),
    phone_numbers: phoneNumbers.nullish(),
    start_date: startDate.nullish(),
    end_date: endDate
      .nullish()
      .describe('When dialing ends, as in `POST /campaigns`. Null makes the campaign open-ended.'),
    start_time: wallTime('start').nullish(),
    end_time: wallTime('end').nullish(),
    organization_id: uuid.nullish(),
    additional_params: additionalParams.nullish(),
  })
  .meta({ id: 'UpdateCampaign', examples: [{ end_date: '2026-04-30', end_time: '18:00' }] });

export const campaignStatusBody = z
  .object({
    status: campaignStatus,
    hang_up: z
      .boolean()
      .nullish()
      .describe('Whether to end the calls in progress as well. Only with `canceled` or `finished`.'),
  })
  .meta({ id: 'SetCampaignStatus', examples: [{ status: 'canceled', hang_up: true }] });

export type CreateCampaignBody = z.output<typeof createCampaignBody>;
export type UpdateCampaignBody = z.output<typeof updateCampaignBody>;
