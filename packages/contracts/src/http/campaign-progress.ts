import { recipientStates, waitingReasons } from '@outdial/core';
import { z } from 'zod';
import { campaign, campaignStatus } from './campaign.ts';
import { outcome } from './outcome.ts';
import { dateTime, uuid } from './fields.ts';
import { page } from './page.ts';

export const recipientState = z.enum(recipientStates);

export const waitingReason = z.enum(waitingReasons);

const lineHolder = z.object({ campaign_id: uuid, name: z.string(), lines: z.int() });

export const waitingDetail = z
  .object({
    message: z.string().describe('A readable explanation of why the campaign is waiting, and until when.'),
    remedy: z.string().describe('What you can do to end the wait.'),
    until: dateTime.nullable().describe('When the wait ends, if that is known.'),
    timezone: z.string().nullable().describe('The time zone of the window that opens next.'),
    limit: z
      .number()
      .nullable()
      .describe('The limit that was reached: a number of lines, or calls per second.'),
    in_use: z.int().nullable().describe('How many of these lines are in use.'),
    held_by: z
      .array(lineHolder)
      .nullable()
      .describe('The campaigns of your organization that use the most of these lines.'),
    provider: z.string().nullable(),
    last_error: z.string().nullable().describe('The last error that the provider returned.'),
    blocked_since: dateTime
      .nullable()
      .describe(
        'Since when the campaign has been unable to dial, for a reason that time alone does not resolve.',
      ),
  })
  .meta({ id: 'WaitingDetail' });

export const campaignProgress = z
  .object({
    status: campaignStatus,
    recipients: z
      .object({
        total: z.int(),
        waiting: z.int().describe('Recipients that have not been called yet.'),
        retrying: z.int().describe('Recipients that will be called again.'),
        in_call: z.int(),
        reached: z
          .int()
          .describe('Recipients whose last call was completed and who will not be called again.'),
        unreached: z.int().describe('Recipients that were not reached and will not be called again.'),
        suppressed: z.int().describe('Recipients on the suppression list.'),
        withdrawn: z
          .int()
          .describe('Recipients that were withdrawn, or not dialed before the campaign ended.'),
      })
      .describe(
        'The number of recipients in each state. The seven states add up to `total`, which counts every number that was ever on the list.',
      ),
    outcomes: z
      .partialRecord(outcome, z.int())
      .describe('The number of recipients by the outcome of their last call.'),
    dials: z.int().describe('The number of calls placed so far, including retries.'),
    lines_in_use: z.int(),
    max_concurrent_calls: z.int(),
    calls_last_minute: z.int(),
    next_dial_at: dateTime.nullable(),
    waiting_for: waitingReason
      .nullable()
      .describe('Why the campaign is waiting. Null while it is dialing and while it is not running.'),
    waiting_detail: waitingDetail.nullable(),
    first_dial_at: dateTime
      .nullable()
      .describe('The first dial, also if its provider asked to wait. Null while `dials` is 0.'),
    last_dial_at: dateTime.nullable().describe('The newest of the `dials`. Null while there is none.'),
    estimated_end_at: dateTime
      .nullable()
      .describe(
        'The median end in the latest forecast. A forecast is usually at most 15 minutes old, or an hour for long lists; it can be older while very many campaigns are running. Null until the first forecast, after the settings change, and for lists so varied that only a long forecast can predict their end.',
      ),
    as_of: dateTime,
  })
  .meta({
    id: 'CampaignProgress',
    examples: [
      {
        status: 'running',
        recipients: {
          total: 1200,
          waiting: 640,
          retrying: 75,
          in_call: 10,
          reached: 402,
          unreached: 60,
          suppressed: 8,
          withdrawn: 5,
        },
        outcomes: { completed: 402, no_answer: 98, busy: 21, voicemail: 16 },
        dials: 561,
        lines_in_use: 10,
        max_concurrent_calls: 10,
        calls_last_minute: 14,
        next_dial_at: '2026-03-02T15:04:10.000Z',
        waiting_for: 'campaign_line',
        waiting_detail: {
          message: 'All 10 lines of this campaign are in use.',
          remedy: "Raise max_concurrent_calls in the campaign's config, or wait for calls to end.",
          until: null,
          timezone: null,
          limit: 10,
          in_use: 10,
          held_by: null,
          provider: null,
          last_error: null,
          blocked_since: null,
        },
        first_dial_at: '2026-03-02T14:00:00.120Z',
        last_dial_at: '2026-03-02T15:04:09.310Z',
        estimated_end_at: '2026-03-02T15:55:11.000Z',
        as_of: '2026-03-02T15:04:11.000Z',
      },
    ],
  });

/** A campaign without what may be large. */
export const campaignSummary = campaign
  .omit({ phone_numbers: true, additional_params: true })
  .extend({
    timezone: z
      .string()
      .describe("The IANA time zone of the campaign's dates and hours. Recipients may have their own."),
  })
  .meta({ id: 'CampaignSummary' });

export const campaignSummaryPage = page(campaignSummary).meta({ id: 'CampaignSummaryPage' });

/** `fields=summary` of the reads of campaigns. */
export const summaryShape = {
  fields: z
    .enum(['summary'])
    .optional()
    .describe('`summary` leaves out `phone_numbers` and `additional_params`, and adds `meta.progress`.'),
};

export type WaitingDetail = z.output<typeof waitingDetail>;
export type CampaignProgress = z.output<typeof campaignProgress>;
export type CampaignSummary = z.output<typeof campaignSummary>;
