export { allItems } from './all-items.ts';
export { createOutdialClient, type OutdialClient, type OutdialOptions } from './client.ts';
export type { components, operations, paths } from './generated/openapi.ts';
export {
  callStatuses,
  eventTypes,
  outcomes,
  recipientStates,
  roles,
  usageGroups,
} from './generated/values.ts';
export { ok, OutdialError, type Fault } from './outdial-error.ts';
export { readWebhook, type OutdialEvent } from './webhook.ts';
