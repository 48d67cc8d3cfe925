import { publicCallStatuses } from '@outdial/core';
import { z } from 'zod';
import { waitingReason } from './campaign-progress.ts';
import { campaignStatus } from './campaign.ts';
import type { EventType } from '@outdial/core';
import { exampleIds, exampleNumbers } from './example-values.ts';
import { dateTime, uuid } from './fields.ts';
import { outcome } from './outcome.ts';

const ofCall = {
  call_id: uuid,
  call_url: z.string().describe("The path of the call's record, which has the transcript and the recording."),
  agent_id: uuid.optional(),
  phone_number: z.string().optional(),
  campaign_id: uuid.optional(),
  recipient_id: uuid.optional(),
  attempt: z.int(),
  status: z.enum(publicCallStatuses),
  started_at: dateTime.optional(),
};

const ofAnsweredCall = { ...ofCall, answered_at: dateTime.optional() };

const ofEndedCall = {
  ...ofAnsweredCall,
  outcome: outcome.optional(),
  ended_at: dateTime.optional(),
  duration: z.number().optional().describe('Length of the conversation in seconds.'),
  external_status: z.string().optional().describe("The provider's last status, in its own terms."),
};

const ofCampaign = { campaign_id: uuid, status: campaignStatus };

const ofItem = { knowledge_base_id: uuid, item_id: uuid, name: z.string() };

const exampleCall = {
  call_id: exampleIds.call,
  call_url: `/api/v1/calls/${exampleIds.call}`,
  agent_id: exampleIds.agent,
  phone_number: exampleNumbers[0],
  campaign_id: exampleIds.campaign,
  recipient_id: exampleIds.recipient,
  attempt: 1,
};
const exampleEnd = {
  ...exampleCall,
  status: 'finish' as const,
  outcome: 'completed' as const,
  started_at: '2026-03-02T15:04:04.000Z',
  answered_at: '2026-03-02T15:04:08.000Z',
  ended_at: '2026-03-02T15:04:50.000Z',
  duration: 42,
};
const exampleItem = {
  knowledge_base_id: exampleIds.knowledgeBase,
  item_id: exampleIds.item,
  name: 'Opening hours',
};

/** A message of one type. Further fields of `data` are added; those without a value are absent. */
function message<Type extends string, Shape extends z.core.$ZodLooseShape>(
  type: Type,
  { id, data, example }: { id: string; data: Shape; example: z.input<z.ZodObject<Shape>> },
) {
  return z
    .object({
      id: uuid,
      type: z.literal(type),
      created_at: dateTime,
      organization_id: uuid,
      sequence: z
        .int()
        .describe('Increases by one with each event of the same recipient, campaign or direct call.'),
      data: z.looseObject(data).partial(),
    })
    .meta({
      id,
      examples: [
        {
          id: exampleIds.event,
          type,
          created_at: '2026-03-02T15:04:50.000Z',
          organization_id: exampleIds.organization,
          sequence: 1,
          data: example,
        },
      ],
    });
}

/** The message of each type of event, as webhooks and lists have it. */
export const eventMessages = {
  'call.started': message('call.started', {
    id: 'CallStartedEvent',
    data: ofCall,
    example: { ...exampleCall, status: 'init', started_at: exampleEnd.started_at },
  }),
  'call.answered': message('call.answered', {
    id: 'CallAnsweredEvent',
    data: ofAnsweredCall,
    example: {
      ...exampleCall,
      status: 'start',
      started_at: exampleEnd.started_at,
      answered_at: exampleEnd.answered_at,
    },
  }),
  'call.ended': message('call.ended', { id: 'CallEndedEvent', data: ofEndedCall, example: exampleEnd }),
  'call.updated': message('call.updated', {
    id: 'CallUpdatedEvent',
    data: {
      ...ofEndedCall,
      changed: z
        .array(z.string())
        .describe('What changed after the end: `outcome`, `transcript`, `recording` or `call_extract`.'),
    },
    example: { ...exampleEnd, changed: ['transcript'] },
  }),
  'recipient.finished': message('recipient.finished', {
    id: 'RecipientFinishedEvent',
    data: {
      campaign_id: uuid,
      recipient_id: uuid,
      phone_number: z.string().optional(),
      reason: z.string().describe('Why there is no further attempt, such as `reached` or `attempts_used`.'),
      outcome: outcome.nullable().describe('The outcome of the last call. Null if there was no call.'),
      attempts: z.int(),
      round: z.int(),
    },
    example: {
      campaign_id: exampleIds.campaign,
      recipient_id: exampleIds.recipient,
      phone_number: exampleNumbers[0],
      reason: 'reached',
      outcome: 'completed',
      attempts: 1,
      round: 1,
    },
  }),
  'campaign.started': message('campaign.started', {
    id: 'CampaignStartedEvent',
    data: ofCampaign,
    example: { campaign_id: exampleIds.campaign, status: 'running' },
  }),
  'campaign.paused': message('campaign.paused', {
    id: 'CampaignPausedEvent',
    data: ofCampaign,
    example: { campaign_id: exampleIds.campaign, status: 'paused' },
  }),
  'campaign.finished': message('campaign.finished', {
    id: 'CampaignFinishedEvent',
    data: ofCampaign,
    example: { campaign_id: exampleIds.campaign, status: 'finished' },
  }),
  'campaign.canceled': message('campaign.canceled', {
    id: 'CampaignCanceledEvent',
    data: ofCampaign,
    example: { campaign_id: exampleIds.campaign, status: 'canceled' },
  }),
  'campaign.blocked': message('campaign.blocked', {
    id: 'CampaignBlockedEvent',
    data: { ...ofCampaign, reason: waitingReason.nullable(), blocked_since: dateTime },
    example: {
      campaign_id: exampleIds.campaign,
      status: 'running',
      reason: 'provider',
      blocked_since: '2026-03-02T14:59:50.000Z',
    },
  }),
  'knowledge_base_item.ready': message('knowledge_base_item.ready', {
    id: 'KnowledgeBaseItemReadyEvent',
    data: { ...ofItem, status: z.literal('ready') },
    example: { ...exampleItem, status: 'ready' },
  }),
  'knowledge_base_item.failed': message('knowledge_base_item.failed', {
    id: 'KnowledgeBaseItemFailedEvent',
    data: { ...ofItem, status: z.literal('failed'), error: z.string().optional() },
    example: { ...exampleItem, status: 'failed', error: 'The PDF has no text' },
  }),
  'suppression.added': message('suppression.added', {
    id: 'SuppressionAddedEvent',
    data: { phone_number: z.string().optional(), reason: z.string().optional() },
    example: { phone_number: exampleNumbers[0], reason: 'asked for it' },
  }),
} satisfies Record<EventType, z.ZodType>;

/** Of `POST /webhook-endpoints/{endpoint_id}/test`. Endpoints cannot subscribe to it. */
export const testMessage = message('webhook.test', {
  id: 'WebhookTestEvent',
  data: { endpoint_id: uuid },
  example: { endpoint_id: exampleIds.endpoint },
});

/** The body of a webhook. `GET /events` has all types but that of tests. */
export const event = z
  .discriminatedUnion('type', [
    eventMessages['call.started'],
    eventMessages['call.answered'],
    eventMessages['call.ended'],
    eventMessages['call.updated'],
    eventMessages['recipient.finished'],
    eventMessages['campaign.started'],
    eventMessages['campaign.paused'],
    eventMessages['campaign.finished'],
    eventMessages['campaign.canceled'],
    eventMessages['campaign.blocked'],
    eventMessages['knowledge_base_item.ready'],
    eventMessages['knowledge_base_item.failed'],
    eventMessages['suppression.added'],
    testMessage,
  ])
  .meta({ id: 'Event', discriminator: { propertyName: 'type', mapping: schemaByType() } });

/** Without it, generators would take the names of the schemas for the values of `type`. */
function schemaByType(): Record<string, string> {
  return Object.fromEntries(
    Object.entries({ ...eventMessages, 'webhook.test': testMessage }).map(([type, schema]) => [
      type,
      `#/components/schemas/${schema.meta()?.id}`,
    ]),
  );
}

export type EventMessage = z.input<typeof event>;
