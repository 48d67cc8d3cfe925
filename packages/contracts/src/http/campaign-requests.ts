import { campaignPurposes, consentBases, parseWallTime, scrubListsAtMost } from '@outdial/core';
import { z } from 'zod';
import { campaignStatus } from './campaign.ts';
import { exampleIds, exampleNumbers } from './example-values.ts';
import { freeForm, uuid } from './fields.ts';
import { outcome } from './outcome.ts';
import { phoneNumbers } from './phone-numbers.ts';
import { scrubListName } from './scrub-list.ts';
import { longestRetryDelaySeconds, retryDelays } from './retry-delays.ts';

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

/**
 * Body of `PUT /campaigns/{campaign_id}`: replaces the fields that it names. Null changes nothing, except in `end_date`, where it means
 * open-ended.
 */
export const updateCampaignBody = z
  .object({
    name: name.nullish(),
    agent_id: uuid.toLowerCase().nullish(),
    phone_numbers: phoneNumbers.optional(),
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

const largestCount = 1_000_000;
/** One call in fifteen minutes. A slower pace would be a pause, and its instants exceed the database's types. */
export const slowestCallsPerSecond = 0.001;
/** More than enough for a set. */
const outcomesAtMost = 100;

/** Body of `PUT /campaigns/{campaign_id}/config`. Null changes nothing, unless it removes a limit. */
export const campaignConfigBody = z
  .object({
    campaign_id: uuid.nullish().describe('The id of the campaign. If present, it must match the path.'),
    call_on_weekend: z.boolean().nullish(),
    queue_again: z.boolean().nullish(),
    call_back_attempts: z.int().min(0).max(10).nullish(),
    retry_delay_seconds: z.int().min(0).max(longestRetryDelaySeconds).nullish(),
    retry_delays_seconds: retryDelays
      .nullish()
      .describe(
        'The delays before the first call-back of a round, the second, and so on; the last delay repeats. Or an object with such a list for each outcome; other outcomes wait `retry_delay_seconds`. Null applies `retry_delay_seconds` to all.',
      ),
    retry_on: z
      .array(outcome.exclude(['completed']))
      .max(outcomesAtMost)
      .transform((list) => [...new Set(list)])
      .nullish(),
    max_concurrent_calls: z.int().min(1).max(largestCount).nullish(),
    calls_per_second: z
      .number()
      .positive({ abort: true })
      .min(slowestCallsPerSecond)
      .max(largestCount)
      .nullish()
      .describe('The maximum number of calls per second. Null means no limit.'),
    max_attempts_per_recipient: z
      .int()
      .min(1)
      .max(largestCount)
      .nullish()
      .describe('The maximum number of calls to one recipient. Null means no limit.'),
    purpose: z
      .enum(campaignPurposes)
      .nullish()
      .describe('The purpose of the calls. Some rules apply to one purpose only. Null if unspecified.'),
    require_consent: z
      .boolean()
      .nullish()
      .describe('Whether to dial only people with a valid consent that covers the purpose.'),
    consent_bases: z
      .array(z.enum(consentBases))
      .min(1)
      .max(outcomesAtMost)
      .transform((list) => [...new Set(list)])
      .nullish()
      .describe('The bases of consent that the campaign accepts. Null accepts any.'),
    scrub_lists: z
      .array(scrubListName)
      .max(scrubListsAtMost)
      .transform((list) => [...new Set(list)])
      .nullish()
      .describe(
        'The scrub lists that the campaign needs. Numbers on one of them are not dialed, and the campaign waits while one of them is older than it is good for. Null for none.',
      ),
    reassigned_query_days: z
      .int()
      .min(1)
      .max(3650)
      .nullish()
      .describe(
        'Dial only numbers whose newest query of reassigned numbers is at most so many days old and says `no`. Null for none.',
      ),
    priority: z.int().min(-largestCount).max(largestCount).nullish(),
  })
  .meta({
    id: 'SetCampaignConfig',
    examples: [{ call_back_attempts: 2, retry_delay_seconds: 900, max_concurrent_calls: 20 }],
  });

export type CreateCampaignBody = z.output<typeof createCampaignBody>;
export type UpdateCampaignBody = z.output<typeof updateCampaignBody>;
export type CampaignConfigBody = z.output<typeof campaignConfigBody>;
