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

export type EventType = (typeof eventTypes)[number];
