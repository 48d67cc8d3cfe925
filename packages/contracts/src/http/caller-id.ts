import { attestations, callerIdCallsPerDay, callerIdStates } from '@outdial/core';
import { z } from 'zod';
import { createdPosition, cursorParameters } from './cursor.ts';
import { exampleIds } from './example-values.ts';
import { dateTime, e164, uuid } from './fields.ts';

const example = {
  phone_number: '+15551230100',
  prefixes: ['+1555'],
  attestation: 'A' as const,
  agent_id: exampleIds.agent,
  calls_per_day: 100,
  calls_per_hour: 20,
  warm_up_days: 14,
};

export const callerId = z
  .object({
    id: uuid,
    phone_number: z.string(),
    country: z
      .string()
      .describe(
        'The country of the number, derived from its digits. The number is only used to call people in this country.',
      ),
    prefixes: z
      .array(z.string())
      .describe(
        'Prefixes of the phone numbers to which this number is local. Used if the operator allows local presence.',
      ),
    attestation: z.enum(attestations).nullable(),
    agent_id: uuid
      .nullable()
      .describe('The agent that answers when people whom no agent has called before call this number.'),
    calls_per_day: z.int().describe('The maximum number of calls from this number in any 24 hours.'),
    calls_per_hour: z
      .int()
      .nullable()
      .describe('The maximum number of calls from this number in any hour. Null means no limit.'),
    warm_up_days: z
      .int()
      .describe('The number of days over which the daily maximum grows to `calls_per_day`.'),
    state: z
      .enum(callerIdStates)
      .describe(
        '`pending` until the operator confirms that the number is yours: it is not dialed from and receives no calls until then.',
      ),
    state_reason: z
      .string()
      .nullable()
      .describe(
        'Why the number is in this state: `answer_rate` or `short_calls` if the service let it rest, otherwise the reason that was given with the change.',
      ),
    resting_until: dateTime.nullable().describe('When the rest ends. Null if it lasts until a user ends it.'),
    calls_last_hour: z.int(),
    calls_last_day: z.int(),
    created_at: dateTime,
    updated_at: dateTime,
  })
  .meta({
    id: 'CallerId',
    examples: [
      {
        id: '0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c15',
        ...example,
        country: 'US',
        state: 'active',
        state_reason: null,
        resting_until: null,
        calls_last_hour: 3,
        calls_last_day: 41,
        created_at: '2026-03-01T09:00:00.000Z',
        updated_at: '2026-03-01T09:00:00.000Z',
      },
    ],
  });

const prefix = z.string().regex(/^\+[1-9]\d{0,13}$/, 'Input should be the beginning of an E.164 number');
const callsAtMost = 100_000;

const settings = {
  prefixes: z
    .array(prefix)
    .max(50)
    .transform((list) => [...new Set(list)]),
  attestation: z.enum(attestations).nullable(),
  agent_id: uuid.nullable(),
  calls_per_day: z.int().min(1).max(callsAtMost),
  calls_per_hour: z.int().min(1).max(callsAtMost).nullable(),
  warm_up_days: z.int().min(0).max(90),
};

export const addCallerIdBody = z
  .strictObject({
    phone_number: e164,
    prefixes: settings.prefixes.default([]),
    attestation: settings.attestation.default(null),
    agent_id: settings.agent_id.default(null),
    calls_per_day: settings.calls_per_day.default(callerIdCallsPerDay),
    calls_per_hour: settings.calls_per_hour.default(null),
    warm_up_days: settings.warm_up_days.default(0),
  })
  .meta({ id: 'AddCallerId', examples: [example] });

/** Body of `PUT /caller-ids/{caller_id}`: replaces the fields that it names. */
export const updateCallerIdBody = z
  .strictObject({
    ...settings,
    state: z.enum(callerIdStates).exclude(['pending']).describe('The new state. `retired` is permanent.'),
    state_reason: z.string().max(500).nullable(),
  })
  .partial()
  .meta({ id: 'UpdateCallerId', examples: [{ state: 'resting', state_reason: 'labeled as spam' }] });

export const listCallerIdsQuery = cursorParameters(createdPosition);
