import { callingPolicies, isTimeZone } from '@outdial/core';
import { z } from 'zod';
import { timeZoneFault } from './time-zone-fault.ts';
import { cursorParameters } from './cursor.ts';
import { dateTime, uuid } from './fields.ts';
import { spanShape } from './span.ts';

const days = z.int().min(1).max(36_500).nullable();

const retentionShape = {
  transcripts_days: days.describe('How long to keep transcripts and the data extracted from them.'),
  recordings_days: days.describe('How long to keep recordings, including those stored by carriers.'),
  prompt_values_days: days.describe(
    'How long to keep the prompt values of calls, and of campaigns that have ended.',
  ),
  calls_days: days.describe('How long to keep whole calls. Their cost remains in the usage.'),
};

const exampleRetention = {
  transcripts_days: 90,
  recordings_days: 30,
  prompt_values_days: 90,
  calls_days: null,
};

const callingPolicy = z
  .enum(callingPolicies)
  .describe(
    'Which calling hours to enforce: `strict` applies the rules of countries and regions, `standard` those of countries only, and `none` only the windows of campaigns.',
  );

const reassignedQueryDays = z
  .int()
  .min(1)
  .max(3650)
  .nullable()
  .describe(
    'Call, in campaigns and directly, only numbers whose newest query of reassigned numbers is at most so many days old and says `no`. Null: only campaigns with their own `reassigned_query_days` need one.',
  );

export const organization = z
  .object({
    id: uuid,
    name: z.string(),
    timezone: z
      .string()
      .describe('The IANA time zone of the days in the usage, and of campaigns without their own time zone.'),
    calling_policy: callingPolicy,
    limits: z
      .object({
        max_lines: z
          .int()
          .nullable()
          .describe('The maximum number of calls in progress. Null means no limit.'),
        max_campaigns: z.int().nullable(),
        max_recipients: z.int().nullable().describe('The maximum number of recipients in all campaigns.'),
        max_calls_per_day: z
          .int()
          .nullable()
          .describe('The maximum number of calls in a day. Days begin at midnight UTC.'),
        max_spend_per_day: z.number().nullable(),
        requests_per_minute: z.int().nullable(),
        max_recorded_gigabytes: z
          .int()
          .nullable()
          .describe('The maximum size of the recordings that Outdial itself stores.'),
        max_inbound_calls: z.int().nullable().describe('The maximum number of inbound calls at a time.'),
        max_inbound_per_caller_hour: z
          .int()
          .nullable()
          .describe('The maximum number of inbound calls from one caller in an hour.'),
        max_inbound_per_number_hour: z
          .int()
          .nullable()
          .describe('The maximum number of inbound calls to one caller id in an hour.'),
        own_twiml: z.boolean().describe('Whether agents may bring TwiML of their own for answered calls.'),
        voice_hosts: z
          .array(z.string())
          .describe('The hosts to which `telephony.voice` of an agent may connect answered calls.'),
      })
      .describe(
        "The limits of your organization, set by the operator of the installation. Null means the installation's default, or no limit if it has none.",
      ),
    allowed_countries: z
      .array(z.string())
      .nullable()
      .describe(
        'The countries that may be called, as two-letter codes. Null means all. Set by the operator.',
      ),
    person_caps: z
      .object({
        calls: z
          .array(z.object({ calls: z.int(), hours: z.int() }))
          .describe('The maximum number of calls in any period of so many hours.'),
        gap_seconds: z
          .int()
          .nullable()
          .describe('The minimum time between calls of different campaigns, and before a direct call.'),
        after_conversation_hours: z
          .int()
          .nullable()
          .describe('The minimum time between a conversation about a debt and the next call about a debt.'),
      })
      .describe('How often one person may be called, across all campaigns. Set by the operator.'),
    reassigned_query_days: reassignedQueryDays,
    retention: z
      .object(retentionShape)
      .describe('How many days after a call its data is kept, by kind of data. Null keeps it forever.'),
    created_at: dateTime,
    updated_at: dateTime,
  })
  .meta({
    id: 'Organization',
    examples: [
      {
        id: '0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c11',
        name: 'Acme',
        timezone: 'Europe/Berlin',
        calling_policy: 'strict',
        limits: {
          max_lines: 50,
          max_campaigns: null,
          max_recipients: null,
          max_calls_per_day: 10_000,
          max_spend_per_day: null,
          requests_per_minute: null,
          max_recorded_gigabytes: null,
          max_inbound_calls: null,
          max_inbound_per_caller_hour: null,
          max_inbound_per_number_hour: null,
          own_twiml: false,
          voice_hosts: ['voice.example.com'],
        },
        allowed_countries: ['DE', 'AT'],
        person_caps: {
          calls: [
            { calls: 3, hours: 24 },
            { calls: 7, hours: 168 },
          ],
          gap_seconds: 14_400,
          after_conversation_hours: null,
        },
        reassigned_query_days: null,
        retention: exampleRetention,
        created_at: '2026-03-01T09:00:00.000Z',
        updated_at: '2026-03-01T09:00:00.000Z',
      },
    ],
  });

export type Organization = z.output<typeof organization>;

/** Body of `PUT /organization`: replaces the fields that it names, also within `retention`. */
export const updateOrganizationBody = z
  .strictObject({
    name: z.string().trim().min(1).max(255).optional(),
    timezone: z
      .string()
      .refine(isTimeZone, {
        error: (issue) => timeZoneFault(String(issue.input)),
        params: { type: 'value_error' },
      })
      .optional(),
    calling_policy: callingPolicy.optional(),
    reassigned_query_days: reassignedQueryDays.optional(),
    retention: z.strictObject(retentionShape).partial().optional(),
  })
  .meta({
    id: 'UpdateOrganization',
    examples: [{ name: 'Acme', timezone: 'Europe/Berlin', retention: exampleRetention }],
  });

const outcomeCounts = z.record(z.string(), z.int());

export const usage = z
  .object({
    day: z.string().optional().describe("The day, in your organization's time zone. Only with `by=day`."),
    campaign_id: uuid.nullable().optional().describe('Only with `by=campaign`. Null for direct calls.'),
    agent_id: uuid.optional().describe('Only with `by=agent`.'),
    calls: z.int(),
    minutes: z.number().describe('Minutes of conversation.'),
    cost: z.number(),
    outcomes: outcomeCounts.describe(
      'The number of ended calls by outcome. Calls in progress are not counted.',
    ),
  })
  .meta({
    id: 'Usage',
    examples: [
      {
        day: '2026-03-01',
        calls: 120,
        minutes: 214.5,
        cost: 9.6,
        outcomes: { completed: 80, no_answer: 40 },
      },
    ],
  });

export type Usage = z.output<typeof usage>;

export const usageQuery = cursorParameters(z.tuple([z.string().max(40)])).extend({
  ...spanShape,
  by: z.enum(['day', 'campaign', 'agent']).default('day'),
});
