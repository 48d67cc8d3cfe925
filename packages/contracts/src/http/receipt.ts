import { attestations, callingPolicies, campaignPurposes, recordingModes, ruleBases } from '@outdial/core';
import { z } from 'zod';
import { recipientState, waitingReason } from './campaign-progress.ts';
import { consent } from './consent.ts';
import { dateTime, uuid } from './fields.ts';
import { outcome } from './outcome.ts';

const span = z.object({ opens_at: dateTime, closes_at: dateTime });

const condition = z.object({
  condition: z.string().describe('The code of the condition, as in `refused_by`.'),
  verdict: z
    .enum(['holds', 'fails', 'not_applicable'])
    .describe(
      'Whether the condition holds. `not_applicable` if there is nothing to check, for example if there are no caps.',
    ),
  text: z.string().describe('What the condition requires.'),
});

const grounds = z.object({
  calling_policy: z.enum(callingPolicies),
  calling_key: z.string().describe('The jurisdictions and time zones in which the person may be.'),
  zones: z.array(
    z.object({ zone: z.string(), local_time: z.string().describe('The local time as yyyy-MM-ddTHH:mm:ss.') }),
  ),
  rules: z
    .array(
      z.object({
        jurisdiction: z.string(),
        name: z.string(),
        version: z.int(),
        overlay: z
          .string()
          .optional()
          .describe("The operator's overlay that contains the rule. Absent for built-in rules."),
        basis: z.enum(ruleBases),
        citation: z.string(),
        as_of: z.string().describe('When the rule was last checked against its source.'),
        zones: z.array(z.string()).describe('The time zones in which the rule was applied.'),
      }),
    )
    .describe('The rules as they were at the time of the decision.'),
  window: span.nullable().describe("The campaign's window, if it was open."),
  calling_hours: span.nullable().describe('The hours in which the rules allowed calls, if they did.'),
  consent: z
    .object({
      purpose: z.enum(campaignPurposes),
      bases: z.array(z.string()).describe('The kinds of consent that the rules accept.'),
      rules: z.array(z.object({ jurisdiction: z.string(), name: z.string(), citation: z.string() })),
    })
    .optional()
    .describe('The consent that the rules ask for under the policy `strict`. Absent if they ask for none.'),
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
      scrub_lists: z
        .array(z.string())
        .optional()
        .describe('The scrub lists that the campaign needs. Absent if it needs none.'),
      reassigned_query_days: z.int().optional(),
    })
    .nullable()
    .describe("The campaign's settings at that revision. Null for a direct call."),
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

export const refusals = z.object({
  total: z.int(),
  by_condition: z
    .record(z.string(), z.int())
    .describe(
      'The number of refusals by condition. Also counts attempts that passed the check and were then undone: `provider_deferred`, `not_sent` and `withdrawn_at_provider`.',
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
  grounds: grounds
    .nullable()
    .describe(
      'The rules and times on which the decision is based. Null for calls from before they were recorded.',
    ),
  person: person
    .nullable()
    .describe('The caps on calls to one person, with the counts at that time. Null if there are no caps.'),
  consent: consent.nullable().describe('The consent on which the call is based.'),
  scrub_lists: z
    .array(
      z.object({
        name: z.string(),
        scrubbed_at: dateTime.nullable(),
        source: z.string().optional(),
        account: z
          .string()
          .nullable()
          .optional()
          .describe('The subscription under which the version was obtained.'),
        jurisdiction: z.string().nullable().optional(),
        numbers: z.int().optional(),
        content_hash: z
          .string()
          .optional()
          .describe(
            'SHA-256 of the hash of the parts before, if any, and of the numbers of the last part: each once, sorted, with a line break between two.',
          ),
      }),
    )
    .nullable()
    .describe('The scrub lists that the campaign needs, each with the time of the version that was checked.'),
  suppression: suppressed.nullable().describe("The number's current entry on the suppression list."),
  refusals: refusals
    .nullable()
    .describe('How often the recipient was refused by the check before a dial. Null if never.'),
};

const london = {
  conditions: [
    {
      condition: 'calling_hours',
      verdict: 'holds' as const,
      text: 'Every rule that may apply where the person is allows a call at this time.',
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
    phone_number: z.string().nullable().describe('The phone number. Null if the person has been erased.'),
    from_phone: z.string().nullable().describe('The caller id. Null if the provider chooses it.'),
    outcome: outcome.nullable(),
    decision: z
      .enum(['dialed', 'waiting', 'not_dialed'])
      .describe('`waiting` if a direct call has not been checked yet.'),
    refused_by: z
      .string()
      .nullable()
      .describe(
        'Why the call was not dialed: `no_line_in_time`, `suppressed`, `on_scrub_list`, `number_refused` or `hung_up`. Null if it was dialed or is waiting.',
      ),
    decided_at: dateTime.nullable().describe('When the call was allowed.'),
    ...evidence,
    release: z
      .object({
        id: uuid,
        time_zones: z.string().describe('The version of the time zone database.'),
        area_codes: z.string().describe('SHA-256 of the tables that say where a number is.'),
      })
      .nullable()
      .describe(
        'The set of conditions and the data with which the call was allowed; `conditions` are those of this release. Null if the call was not allowed.',
      ),
    attestation: z
      .enum(attestations)
      .nullable()
      .describe('The attestation of the caller id when the call was allowed.'),
    prompt: z
      .object({
        created_at: dateTime,
        sha256: z.string().describe('The hash of the text, before its values.'),
      })
      .describe("The version of the agent's prompt."),
    disclosure: z
      .object({
        text: z.string(),
        language: z.string(),
        heard_at: dateTime
          .nullable()
          .describe('When it was reported to have been heard. Null if there is no such report.'),
      })
      .nullable()
      .describe('The disclosure at the beginning of the call. Null if there was none.'),
    recording: z
      .enum(recordingModes)
      .nullable()
      .describe('The rule about recordings that applied to the call. Null if none did.'),
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
        release: {
          id: '5d0c2f0e-6f0e-8c3a-9d52-1f6f0a3b2c14',
          time_zones: '2026c',
          area_codes: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
        },
        attestation: 'A',
        prompt: {
          created_at: '2026-02-20T09:00:00.000Z',
          sha256: '2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae',
        },
        disclosure: {
          text: 'Hello, this is Anna calling for Acme, with an artificial voice. Tell me at any time if you want no more calls.',
          language: 'en',
          heard_at: '2026-03-02T08:20:21.000Z',
        },
        recording: 'announced',
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
      .describe(
        'What the check before a dial would decide at `as_of` if the recipient were due and a line were free.',
      ),
    refused_by: z.string().nullable().describe('The first condition that fails.'),
    next_attempt_at: dateTime.nullable(),
    waiting_for: z.enum([...waitingReason.options, 'campaign_not_running']).nullable(),
    next_calling_hours_at: dateTime
      .nullable()
      .describe('When the calling hours open next. Null if they are open now, or never open.'),
    person_free_at: dateTime.nullable().describe('When the caps allow the next call to the person.'),
    quota_left: z
      .int()
      .nullable()
      .describe('The number of calls left in the daily quota. Null if there is no quota.'),
    last_call_id: uuid.nullable().describe('The id of the last call, which has its own receipt.'),
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
