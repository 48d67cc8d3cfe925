import { z } from 'zod';
import { cursorParameters, idPosition } from './cursor.ts';
import { dateTime, uuid } from './fields.ts';
import { outcome } from './outcome.ts';

/** The types of events for callers. Types are added and never change their meaning. */
export const eventTypes = [
  'call.started',
  'call.answered',
  'call.ended',
  'call.updated',
  'recipient.finished',
  'campaign.started',
  'campaign.paused',
  'campaign.finished',
  'campaign.canceled',
  'campaign.blocked',
  'knowledge_base_item.ready',
  'knowledge_base_item.failed',
  'suppression.added',
] as const;

export const eventType = z.enum(eventTypes);

/** Which fields an event has depends on its type; further ones are added. */
const eventData = z
  .looseObject({
    campaign_id: uuid.optional(),
    recipient_id: uuid.optional(),
    call_id: uuid.optional(),
    call_url: z
      .string()
      .optional()
      .describe("The path of the call's record, which has the transcript and the recording."),
    agent_id: uuid.optional(),
    phone_number: z.string().optional(),
    attempt: z.int().optional(),
    status: z.string().optional().describe('The status of the call, the campaign or the item.'),
    outcome: outcome.nullable().optional().describe('The outcome of the call. Null if there was no call.'),
    started_at: dateTime.optional(),
    answered_at: dateTime.optional(),
    ended_at: dateTime.optional(),
    duration: z.number().optional().describe('Length of the conversation in seconds.'),
    external_status: z.string().optional(),
    changed: z.array(z.string()).optional(),
    reason: z.string().nullable().optional(),
    attempts: z.int().optional(),
    round: z.int().optional(),
    blocked_since: dateTime.optional(),
    knowledge_base_id: uuid.optional(),
    item_id: uuid.optional(),
    name: z.string().optional(),
    error: z.string().nullable().optional(),
  })
  .describe('Depends on the type of the event. Fields without a value are absent.');

export const event = z
  .object({
    id: uuid,
    type: z.string(),
    created_at: dateTime,
    organization_id: uuid,
    sequence: z
      .int()
      .describe('Increases by one with each event of the same recipient, campaign or direct call.'),
    data: eventData,
  })
  .meta({
    id: 'Event',
    example: {
      id: '019a4c1e-5b1f-7d52-9c8e-0f6a4b1d2c3e',
      type: 'call.ended',
      created_at: '2026-03-02T15:04:05.000Z',
      organization_id: '019a4c1e-0000-7000-8000-000000000001',
      sequence: 3,
      data: {
        call_id: '019a4c1e-5b1f-7d52-9c8e-0f6a4b1d2c3f',
        call_url: '/api/v1/calls/019a4c1e-5b1f-7d52-9c8e-0f6a4b1d2c3f',
        campaign_id: '019a4c1e-0000-7000-8000-000000000002',
        recipient_id: '019a4c1e-0000-7000-8000-000000000003',
        agent_id: '019a4c1e-0000-7000-8000-000000000004',
        phone_number: '+15551230000',
        attempt: 1,
        status: 'finish',
        outcome: 'completed',
        duration: 42,
      },
    },
  });

// Both ways in which clients write a list in a query: `types=a,b` and `types=a&types=b`.
const typeList = z
  .union([z.string(), z.array(z.string())])
  .transform((given) => [given].flat().flatMap((text) => text.split(',').map((type) => type.trim())))
  .pipe(z.array(eventType).min(1).max(eventTypes.length));

export const listEventsQuery = cursorParameters(idPosition).extend({
  after: uuid
    .optional()
    .describe('The id of the last event that you read. Omit it to start with the oldest event.'),
  types: typeList
    .optional()
    .describe('Only events of these types. Repeat the parameter, or separate the types with commas.'),
});
