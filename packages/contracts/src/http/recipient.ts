import { faultOfPlace, isE164, isTimeZone } from '@outdial/core';
import { z } from 'zod';
import type { TimeZoneHints } from './time-zone-fault.ts';
import { outcome } from './outcome.ts';
import { recipientState, waitingReason } from './campaign-progress.ts';
import { cursorParameters, idPosition } from './cursor.ts';
import { dateTime, jsonBytes, promptParams, recipientBytesAtMost, uuid } from './fields.ts';

const phoneNumber = z.string().refine(isE164, {
  message: 'Input should be a phone number in E.164 format, such as +15550100123',
  params: { type: 'string_pattern_mismatch' },
});

export const recipient = z
  .object({
    id: uuid,
    phone_number: z.string(),
    state: recipientState,
    attempts: z.int(),
    round: z.int(),
    last_outcome: outcome.nullable(),
    last_call_id: uuid.nullable(),
    next_attempt_at: dateTime
      .nullable()
      .describe('The earliest time of the next call, within the window. Null if there is none.'),
    waiting_for: z
      .enum([...waitingReason.options, 'campaign_not_running'])
      .nullable()
      .describe('What the recipient is waiting for. Null unless its state is `waiting` or `retrying`.'),
    timezone: z.string(),
    prompt_params: promptParams
      .nullable()
      .describe("The recipient's own prompt values, which apply in addition to the campaign's."),
  })
  .meta({
    id: 'Recipient',
    examples: [
      {
        id: '0195d2f0-7c1e-7a6b-9f3e-2b8f4c5d6e7f',
        phone_number: '+15550100123',
        state: 'retrying',
        attempts: 1,
        round: 1,
        last_outcome: 'no_answer',
        last_call_id: '0195d2f1-0a2b-7c3d-8e4f-5a6b7c8d9e0f',
        next_attempt_at: '2026-03-02T15:20:00.000Z',
        waiting_for: 'retry',
        timezone: 'America/New_York',
        prompt_params: { name: 'Ada' },
      },
    ],
  });

export const recipientsQuery = cursorParameters(idPosition).extend({
  state: recipientState.optional(),
  outcome: outcome.optional().describe('Only recipients whose last call had this outcome.'),
  phone_number: z
    .string()
    // A plus sign that was not encoded arrives as a blank.
    .transform((text) => text.replace(/^ /, '+'))
    .pipe(phoneNumber)
    .optional()
    .describe('Only the recipient with this phone number, in E.164 format. Encode the plus sign as %2B.'),
});

const recipientsAtMost = 10_000;

const timeZone = (hints: TimeZoneHints) =>
  z
    .string()
    .max(64)
    .refine(isTimeZone, {
      error: (issue) => hints.fault(String(issue.input)),
      params: { type: 'value_error' },
    });

/** A recipient to add, checked separately. All share the hints for wrong time zones. */
export const newRecipient = (hints: TimeZoneHints) =>
  z
    .strictObject({
      phone_number: phoneNumber,
      prompt_params: promptParams.nullish(),
      timezone: timeZone(hints).nullish(),
      region: z.string().max(16).nullish(),
      postal_code: z.string().max(16).nullish(),
    })
    .refine((one) => jsonBytes({ ...one, phone_number: undefined }) <= recipientBytesAtMost, {
      message: `Input should have at most ${recipientBytesAtMost} bytes of JSON`,
      params: { type: 'too_long' },
    })
    .superRefine(({ timezone, region, postal_code: postalCode }, context) => {
      const fault = faultOfPlace({
        timezone: timezone ?? undefined,
        region: region ?? undefined,
        postalCode: postalCode ?? undefined,
      });
      if (fault === null) return;
      context.addIssue({
        code: 'custom',
        path: [fault.field],
        message: fault.msg,
        params: { type: 'value_error' },
      });
    });

const recipientJson = {
  type: 'object',
  properties: {
    phone_number: {
      type: 'string',
      pattern: '^\\+[1-9]\\d{6,14}$',
      description: 'The phone number, in E.164 format.',
    },
    prompt_params: { type: ['object', 'null'], additionalProperties: { type: 'string' } },
    timezone: {
      type: ['string', 'null'],
      description: "The recipient's IANA time zone. By default, the campaign's.",
    },
    region: {
      type: ['string', 'null'],
      description:
        'Where the person is: a country (`DE`), or a state or province of the United States or Canada (`US-FL`).',
    },
    postal_code: { type: ['string', 'null'], description: 'A postal code of the United States or Canada.' },
  },
  required: ['phone_number'],
};

// Checked one by one: the answer has the faults of invalid recipients, and the others are added.
const recipientsToAdd = z.array(z.unknown()).min(1).max(recipientsAtMost).meta({ items: recipientJson });

/** Body of `POST /campaigns/{campaign_id}/recipients`: a list, the same as `recipients`, or one recipient. After parsing it is the list. */
export const addRecipientsBody = z
  .union(
    [
      recipientsToAdd,
      z.strictObject({ recipients: recipientsToAdd }).transform((body) => body.recipients),
      z.looseObject({ phone_number: z.unknown() }).transform((one): unknown[] => [one]),
    ],
    {
      error: `Input should be 1 to ${recipientsAtMost} recipients: {"recipients": [{"phone_number": "+15550100123"}]}, the list alone, or a single recipient`,
    },
  )
  .meta({
    id: 'AddRecipients',
    examples: [
      {
        recipients: [
          { phone_number: '+15550100123', prompt_params: { name: 'Ada' } },
          { phone_number: '+442079460958', timezone: 'Europe/London' },
        ],
      },
    ],
  });

export const addedRecipients = z
  .object({
    added: z.int(),
    already_there: z
      .int()
      .describe('The number of recipients that were already on the list. They are unchanged.'),
    refused: z.array(
      z.object({
        index: z.int().describe("The recipient's position in the request, counted from 0."),
        phone_number: z.string().nullable().describe('The phone number, masked.'),
        reason: z.string(),
      }),
    ),
  })
  .meta({
    id: 'AddedRecipients',
    examples: [
      {
        added: 2,
        already_there: 0,
        refused: [
          {
            index: 2,
            phone_number: '•••',
            reason: 'phone_number: Input should be a phone number in E.164 format, such as +15550100123',
          },
        ],
      },
    ],
  });

export const retryRecipientsBody = z
  .strictObject({
    outcomes: z
      .array(outcome.exclude(['completed']))
      .min(1)
      .max(outcome.options.length)
      .describe(
        'Retries the recipients that were not reached and whose last call had one of these outcomes.',
      ),
  })
  .meta({ id: 'RetryRecipients', examples: [{ outcomes: ['no_answer', 'busy'] }] });

export const retriedRecipients = z
  .object({
    retried: z.int().describe('The number of recipients that get another round.'),
    status: z.string().describe('The status of the campaign. A finished campaign becomes `paused`.'),
  })
  .meta({ id: 'RetriedRecipients', examples: [{ retried: 42, status: 'paused' }] });

export type Recipient = z.output<typeof recipient>;
export type RetriedRecipients = z.output<typeof retriedRecipients>;
export type AddedRecipients = z.output<typeof addedRecipients>;
