import { callingPolicies, campaignPurposes } from '@outdial/core';
import { z } from 'zod';
import { recipientState, waitingReason } from './campaign-progress.ts';
import { consent } from './consent.ts';
import { dateTime, uuid } from './fields.ts';
import { outcome } from './outcome.ts';

const span = z.object({ opens_at: dateTime, closes_at: dateTime });

const condition = z.object({
  condition: z.string().describe('The reason of a refusal by this condition'),
  verdict: z
    .enum(['holds', 'fails', 'not_applicable'])
    .describe('`not_applicable`: the condition does not apply, for example without caps'),
  text: z.string().describe('The question that it answers'),
});

const grounds = z.object({
  calling_policy: z.enum(callingPolicies),
  calling_key: z.string().describe('The possible jurisdictions and clocks of the person'),
  zones: z.array(z.object({ zone: z.string(), local_time: z.string().describe('yyyy-MM-ddTHH:mm:ss') })),
  rules: z
    .array(
      z.object({
        jurisdiction: z.string(),
        name: z.string(),
        version: z.int(),
        overlay: z
          .string()
          .optional()
          .describe('The overlay of the operator that has the rule; absent for built-in rules'),
        basis: z.enum(['statute', 'regulation', 'code', 'practice']),
        citation: z.string(),
        as_of: z.string().describe('When the text was last checked'),
        zones: z.array(z.string()).describe('The clocks by which it was applied'),
      }),
    )
    .describe('The rules as they stood at the decision'),
  window: span.nullable().describe('The window of the campaign, if it was open'),
  calling_hours: span.nullable().describe('When the rules allow calls, if they did'),
  campaign: z
    .object({
      revision: z.int(),
      start_time: z.string(),
      end_time: z.string(),
      call_on_weekend: z.boolean(),
      timezone: z.string(),
      call_back_attempts: z.int(),
      queue_again: z.boolean(),
      max_attempts_per_recipient: z.int().nullable(),
      retry_on: z.array(z.string()),
      purpose: z.enum(campaignPurposes).nullable(),
      require_consent: z.boolean(),
      consent_bases: z.array(z.string()).nullable(),
      scrub_lists: z.array(z.string()).optional().describe('Absent if the campaign names none'),
    })
    .nullable()
    .describe('The settings of the campaign at that revision; null for a direct call'),
});

const person = z.object({
  calls: z.array(z.object({ calls: z.int(), hours: z.int(), made: z.int() })),
  gap_seconds: z.int().nullable(),
  after_conversation_hours: z.int().nullable(),
  last_call_at: dateTime.nullable(),
  conversation_at: dateTime.nullable(),
});

const suppressed = z.object({
  reason: z.string().nullable(),
  source: z.string().nullable(),
  created_at: dateTime,
  expires_at: dateTime.nullable(),
});

const refusals = z.object({
  total: z.int(),
  by_condition: z
    .record(z.string(), z.int())
    .describe(
      'Also attempts that were undone after a gate had let them through: `provider_deferred`, `not_sent`, `withdrawn_at_provider`',
    ),
  first_at: dateTime,
  last: z.object({
    condition: z.string(),
    at: dateTime,
    grounds: grounds.nullable(),
    person: person.nullable(),
  }),
});

const evidence = {
  conditions: z.array(condition),
  grounds: grounds.nullable().describe('Null for calls from before grounds were recorded'),
  person: person.nullable().describe('The caps per person and their counts; null without caps'),
  consent: consent.nullable().describe('The consent that the dial relies on'),
  scrub_lists: z
    .array(z.object({ name: z.string(), scrubbed_at: dateTime.nullable() }))
    .nullable()
    .describe('The scrub lists that the campaign needs, each with the instant of the version that was asked'),
  suppression: suppressed.nullable().describe('The current entry of the suppression list'),
  refusals: refusals.nullable().describe('How often gates refused the recipient; null for never'),
};

const london = {
  conditions: [
    {
      condition: 'calling_hours',
      verdict: 'holds' as const,
      text: 'Every rule that may apply at the location of the person allows a call at this time.',
    },
  ],
  grounds: {
    calling_policy: 'strict' as const,
    calling_key: 'strict:GB',
    zones: [{ zone: 'Europe/London', local_time: '2026-03-02T08:20:00' }],
    rules: [
      {
        jurisdiction: 'GB',
        name: 'United Kingdom',
        version: 1,
        basis: 'practice' as const,
        citation: 'DMA Code and Ofcom persistent misuse statement',
        as_of: '2026-11-22',
        zones: ['Europe/London'],
      },
    ],
    window: { opens_at: '2026-03-02T08:00:00.000Z', closes_at: '2026-03-02T17:00:00.000Z' },
    calling_hours: { opens_at: '2026-03-02T08:00:00.000Z', closes_at: '2026-03-02T21:00:00.000Z' },
    campaign: null,
  },
  person: {
    calls: [{ calls: 3, hours: 24, made: 1 }],
    gap_seconds: 14_400,
    after_conversation_hours: null,
    last_call_at: '2026-03-01T09:20:00.000Z',
    conversation_at: null,
  },
  consent: null,
  scrub_lists: null,
  suppression: null,
  refusals: null,
};

/** Answer of `GET /calls/{call_id}/receipt`. */
export const receipt = z
  .object({
    call_id: uuid,
    agent_id: uuid,
    campaign_id: uuid.nullable(),
    recipient_id: uuid.nullable(),
    attempt: z.int(),
    phone_number: z.string().nullable().describe('Null once the person has been erased'),
    from_phone: z.string().nullable().describe('The caller id; null if the provider chooses it'),
    outcome: outcome.nullable(),
    decision: z
      .enum(['dialed', 'waiting', 'not_dialed'])
      .describe('`waiting`: a direct call that waits for its gate'),
    refused_by: z
      .string()
      .nullable()
      .describe(
        'Why it was not dialed: `no_line_in_time`, `suppressed`, `number_refused` or `hung_up`; null if it was dialed or waits',
      ),
    decided_at: dateTime.nullable().describe('When the gate opened'),
    ...evidence,
    as_of: dateTime,
  })
  .meta({
    id: 'Receipt',
    examples: [
      {
        call_id: '0195d2f1-0a2b-7c3d-8e4f-5a6b7c8d9e0f',
        agent_id: '0195d2f0-6b1a-7f3e-8c2d-4e5f6a7b8c9d',
        campaign_id: null,
        recipient_id: null,
        attempt: 1,
        phone_number: '+442079460958',
        from_phone: '+15550100123',
        outcome: 'completed',
        decision: 'dialed',
        refused_by: null,
        decided_at: '2026-03-02T08:20:00.000Z',
        ...london,
        as_of: '2026-03-03T08:20:00.000Z',
      },
    ],
  });

export type Receipt = z.output<typeof receipt>;

/** Answer of `GET /campaigns/{campaign_id}/recipients/{recipient_id}/explain`. */
export const recipientExplanation = z
  .object({
    campaign_id: uuid,
    recipient_id: uuid,
    phone_number: z.string(),
    state: recipientState,
    decision: z
      .enum(['would_dial', 'would_refuse'])
      .describe('The decision of the gate at `as_of` if the recipient were due and a line free'),
    refused_by: z.string().nullable().describe('The first condition that fails'),
    next_attempt_at: dateTime.nullable(),
    waiting_for: z.enum([...waitingReason.options, 'campaign_not_running']).nullable(),
    next_calling_hours_at: dateTime
      .nullable()
      .describe('When calling hours open next; null if they are open, and if they never open'),
    person_free_at: dateTime.nullable().describe('When the caps allow a call to the person'),
    quota_left: z.int().nullable().describe('Calls left in the quota of the day; null without a quota'),
    last_call_id: uuid.nullable().describe('The last call, which has a receipt of its own'),
    ...evidence,
    as_of: dateTime,
  })
  .meta({
    id: 'RecipientExplanation',
    examples: [
      {
        campaign_id: '0195d2f0-7c1e-7a6b-9f3e-2b8f4c5d6e70',
        recipient_id: '0195d2f0-7c1e-7a6b-9f3e-2b8f4c5d6e7f',
        phone_number: '+442079460958',
        state: 'waiting',
        decision: 'would_dial',
        refused_by: null,
        next_attempt_at: '2026-03-02T08:20:00.000Z',
        waiting_for: null,
        next_calling_hours_at: null,
        person_free_at: null,
        quota_left: null,
        last_call_id: null,
        ...london,
        as_of: '2026-03-02T08:20:00.000Z',
      },
    ],
  });

export type RecipientExplanation = z.output<typeof recipientExplanation>;
