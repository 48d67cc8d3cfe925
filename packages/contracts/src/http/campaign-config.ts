import { campaignPurposes, consentBases, scrubListsAtMost } from '@outdial/core';
import { z } from 'zod';
import { dateTime, uuid } from './fields.ts';
import { outcome } from './outcome.ts';
import { longestRetryDelaySeconds, retryDelays } from './retry-delays.ts';
import { scrubListName } from './scrub-list.ts';

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

export type CampaignConfigBody = z.output<typeof campaignConfigBody>;
export type CampaignConfig = z.output<typeof campaignConfig>;
