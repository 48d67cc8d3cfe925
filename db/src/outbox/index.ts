export { deleteOldOutboxEvents, outboxRetentionDays } from './delete-old-events.ts';
export type { CallEventData, OutboxEvent, RecipientEventData } from './outbox-event.ts';
export { writeOutbox } from './write-outbox.ts';
