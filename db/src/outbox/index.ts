export { deleteOldOutboxEvents, outboxRetentionDays } from './delete-old-events.ts';
export type { CallEventData, OutboxEvent, RecipientEventData } from './outbox-event.ts';
export { writeOutbox } from './write-outbox.ts';
export { noteEventReader } from './event-readers.ts';
export { placeEvents, type PlacedEvents } from './place-events.ts';
export { findEventPosition, readEvents, type PlacedEvent } from './read-events.ts';
export * from './campaign-call-events.ts';
