import { callKinds, campaignPurposes, publicCallStatuses, outcomes } from '@outdial/core';
import { z } from 'zod';
import { cursorParameters, createdPosition } from './cursor.ts';
import { exampleIds, exampleNumbers } from './example-values.ts';
import { dateTime, e164, freeForm, promptParams, uuid } from './fields.ts';
import { spanShape } from './span.ts';

const createdBy = z.object({ id: uuid, first_name: z.string(), last_name: z.string() });
export const tag = z
  .object({ name: z.string(), id: uuid })
  .meta({ id: 'Tag', examples: [{ id: exampleIds.tag, name: 'billing' }] });

const callEvent = z
  .looseObject({ type: z.string(), at: z.string().describe('ISO 8601.') })
  .meta({ id: 'CallEvent', examples: [{ type: 'answered', at: '2026-03-02T15:04:08.000Z' }] });

const callMeta = z
  .looseObject({
    outcome: z.enum(outcomes).optional().describe('How the call ended. Absent until then.'),
    campaign_id: z.unknown().optional().describe('The id of the campaign, for a call of a campaign.'),
    recipient_id: z.unknown().optional().describe('The id of the recipient, for a call of a campaign.'),
    attempt: z
      .unknown()
      .optional()
      .describe('Which attempt to reach the recipient it is, from 1, for a call of a campaign.'),
    consent_id: z.unknown().optional().describe('The consent under which the call was placed.'),
  })
  .describe('The `meta` of the request, with what the service adds.')
  .meta({ id: 'CallMeta' });

const exampleCall = {
  id: exampleIds.call,
  agent_id: exampleIds.agent,
  organization_id: exampleIds.organization,
  provider: 'phone_outbound' as const,
  status: 'finish' as const,
  type: 'outbound' as const,
  phone_number: exampleNumbers[0],
  conversation_id: 'CA0001',
  transcript: 'Agent: Hello Ada, this is Acme.\nAda: Hello.',
  duration: 42,
  cost: 0.021,
  notes: null,
  recording_url: `/api/v1/calls/${exampleIds.call}/recording`,
  events: [
    { type: 'ringing', at: '2026-03-02T15:04:05.000Z' },
    { type: 'answered', at: '2026-03-02T15:04:08.000Z' },
    { type: 'ended', at: '2026-03-02T15:04:50.000Z', outcome: 'completed' },
  ],
  prompt_params: { name: 'Ada', company: 'Acme' },
  call_extract: { wants_delivery: true },
  external_last_status: 'completed',
  meta: {
    outcome: 'completed',
    campaign_id: exampleIds.campaign,
    recipient_id: exampleIds.recipient,
    attempt: 1,
  },
  system_prompt: 'You are Anna from Acme. Ask Ada whether the delivery has arrived.',
  comments: null,
  quality: 4,
  created_by: { id: exampleIds.user, first_name: 'Grace', last_name: 'Hopper' },
  created_at: '2026-03-02T15:04:04.000Z',
  tags: [{ id: exampleIds.tag, name: 'billing' }],
};

export const call = z
  .object({
    id: uuid.nullable(),
    agent_id: uuid.nullable(),
    organization_id: uuid.nullable(),
    provider: z.enum(callKinds).nullable(),
    status: z.enum(publicCallStatuses).nullable(),
    type: z.enum(['inbound', 'outbound']).nullable(),
    phone_number: z.string().nullable(),
    conversation_id: z.string().nullable(),
    transcript: z.string().nullable(),
    duration: z.int().nullable().describe('Length of the conversation in seconds.'),
    cost: z.number(),
    notes: z.string().nullable(),
    recording_url: z.string().nullable().describe('Path of the recording on this service.'),
    events: z
      .array(callEvent)
      .nullable()
      .describe('The events of the call as `{type, at, …}`, oldest first.'),
    prompt_params: freeForm.nullable(),
    call_extract: freeForm.nullable(),
    external_last_status: z
      .string()
      .nullable()
      .describe("The last status that the provider reported, in the provider's own terms."),
    meta: callMeta.nullable(),
    system_prompt: z.string().nullable(),
    comments: z.string().nullable(),
    quality: z.int().nullable(),
    created_by: createdBy.nullable(),
    created_at: dateTime.nullable(),
    tags: z.array(tag).nullable(),
  })
  .meta({ id: 'Call', examples: [exampleCall] });

export type Call = z.output<typeof call>;

const rejectMissingValues = z
  .boolean()
  .nullish()
  .describe(
    'If true, a placeholder of the prompt without a value in `prompt_params` is a 422, and nothing is called. Otherwise `meta.warnings` names it.',
  );

/** Body of `POST /agents/{agent_id}/call`. A rule in core checks whether the number can be dialed. */
export const makeCallBody = z
  .object({
    to_phone: e164.describe('The phone number to call, in E.164 format.'),
    prompt_params: promptParams.nullish(),
    meta: freeForm.nullish(),
    purpose: z
      .enum(campaignPurposes)
      .nullish()
      .describe(
        'Under the policy `strict`, the rules of the place ask for consent by purpose. A missing purpose counts as `marketing`.',
      ),
    reject_missing_values: rejectMissingValues,
  })
  .meta({
    id: 'MakeCall',
    examples: [
      {
        to_phone: exampleNumbers[0],
        prompt_params: { name: 'Ada' },
        meta: { order: 'A-1042' },
        reject_missing_values: true,
      },
    ],
  });

export type MakeCallBody = z.output<typeof makeCallBody>;

export const makeWebCallBody = z
  .strictObject({
    prompt_params: promptParams.nullish(),
    meta: freeForm.nullish(),
    reject_missing_values: rejectMissingValues,
  })
  .nullish()
  .meta({ id: 'MakeWebCall', examples: [{ prompt_params: { name: 'Ada' }, meta: { page: 'pricing' } }] });

export const webCall = z
  .object({
    call_id: uuid,
    url: z
      .string()
      .describe('The WebSocket URL that the browser opens, with the token appended as `?token=`.'),
    token: z.string().describe('Valid for one connection, until `expires_at`.'),
    expires_at: dateTime,
  })
  .meta({
    id: 'WebCall',
    examples: [
      {
        call_id: exampleIds.call,
        url: 'wss://voice.example.com/web',
        token: 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJvcmciOiIwMTk3In0.c2lnbmF0dXJl',
        expires_at: '2026-03-02T15:05:04.000Z',
      },
    ],
  });

export const callFilterShape = {
  campaign_id: uuid.optional(),
  agent_id: uuid.optional(),
  phone_number: e164
    .optional()
    .describe('Only calls with this phone number, in E.164 format. Encode the plus sign as %2B.'),
  status: z.enum(publicCallStatuses).optional(),
  outcome: z.enum(outcomes).optional().describe('Only calls whose `meta.outcome` has this value.'),
  ...spanShape,
};

export const listCallsQuery = cursorParameters(createdPosition).extend(callFilterShape);

export const campaignCallsQuery = listCallsQuery.omit({ campaign_id: true });

/** Body of `PUT /calls/{call_id}`: replaces the fields that it names; null removes a value. */
export const annotateCallBody = z
  .strictObject({
    notes: z.string().max(10_000).nullish(),
    comments: z.string().max(10_000).nullish(),
    quality: z.int().min(1).max(5).nullish().describe('A rating from 1 to 5.'),
    tags: z
      .array(z.string().trim().min(1).max(100))
      .max(50)
      .nullish()
      .describe('The names of all tags of the call. A tag is created when it is first used.'),
  })
  .meta({
    id: 'AnnotateCall',
    examples: [{ notes: 'Asked for a call after six', quality: 4, tags: ['callback', 'billing'] }],
  });
