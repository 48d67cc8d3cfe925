import { bottlenecks, skipReasons } from '@outdial/core';
import { z } from 'zod';
import { dateTime, uuid } from './fields.ts';
import { outcome } from './outcome.ts';

export const forecastBody = z
  .strictObject({
    seed: z
      .int()
      .min(0)
      .max(2_147_483_647)
      .optional()
      .describe(
        'The seed of the simulation. The same seed gives the same forecast for the same campaign. 1 by default.',
      ),
    max_concurrent_calls: z
      .int()
      .min(1)
      .max(100_000)
      .optional()
      .describe("The number of lines to assume, instead of the campaign's own."),
  })
  .meta({ id: 'ForecastRequest', examples: [{ seed: 1 }] });

/** Answer of `POST /campaigns/{campaign_id}/forecast`. */
export const forecast = z
  .object({
    campaign_id: uuid,
    as_of: dateTime,
    seed: z.int(),
    people: z.int().describe('The number of recipients that are not finished.'),
    skipped: z
      .array(
        z.object({
          reason: z.enum(skipReasons),
          rules: z
            .array(z.string())
            .describe(
              'With `no_consent`: the rules of the place that ask for the consent. Empty if only the campaign does.',
            ),
          count: z.int(),
        }),
      )
      .describe('How many recipients will not be dialed, by reason and rules.'),
    end: z
      .object({ p10: dateTime.nullable(), p50: dateTime.nullable(), p90: dateTime.nullable() })
      .describe(
        'When the campaign ends: by this time with a probability of 10 %, 50 % and 90 %. Null if it does not end within 400 days, or waits for people whom it cannot call.',
      ),
    dials: z.int(),
    reached: z.int(),
    days: z
      .array(z.object({ date: z.iso.date(), zone: z.string(), people: z.int(), dials: z.int() }))
      .describe('The number of people dialed, by local date and time zone.'),
    bottleneck: z
      .object({
        limit: z.enum(bottlenecks),
        seconds: z.int().describe('By how many seconds it delays the campaign.'),
      })
      .nullable(),
    with_twice_the_lines: z.object({
      p50: dateTime.nullable(),
      sooner_by_seconds: z.int().nullable(),
    }),
    assumptions: z.object({
      rates_from: z
        .enum(['organization', 'defaults'])
        .describe(
          "The source of the rates: your organization's most recent calls, or defaults if there are fewer than 50.",
        ),
      calls_looked_at: z.int(),
      outcomes: z.array(z.object({ outcome, share: z.number(), seconds: z.number() })),
      lines: z.int(),
      calls_per_second: z.number().nullable(),
      quota_per_day: z.int().nullable(),
    }),
  })
  .meta({
    id: 'Forecast',
    examples: [
      {
        campaign_id: '0195d2f0-7c1e-7a6b-9f3e-2b8f4c5d6e70',
        as_of: '2026-03-02T08:20:00.000Z',
        seed: 1,
        people: 1000,
        skipped: [{ reason: 'suppressed' as const, rules: [], count: 12 }],
        end: {
          p10: '2026-03-03T10:05:00.000Z',
          p50: '2026-03-03T10:40:00.000Z',
          p90: '2026-03-03T11:20:00.000Z',
        },
        dials: 1640,
        reached: 610,
        days: [{ date: '2026-03-02', zone: 'Europe/London', people: 988, dials: 1100 }],
        bottleneck: { limit: 'lines' as const, seconds: 14_400 },
        with_twice_the_lines: { p50: '2026-03-02T16:10:00.000Z', sooner_by_seconds: 66_600 },
        assumptions: {
          rates_from: 'organization' as const,
          calls_looked_at: 4200,
          outcomes: [{ outcome: 'completed' as const, share: 0.41, seconds: 96.2 }],
          lines: 10,
          calls_per_second: null,
          quota_per_day: null,
        },
      },
    ],
  });

export type ForecastAnswer = z.output<typeof forecast>;
