export {
  claimDeliveries,
  findEndpointsWithDueDeliveries,
  type ClaimedDeliveries,
  type ClaimedDelivery,
  type DeliveryTarget,
} from './claim-deliveries.ts';
export {
  deleteOldDeliveries,
  listDeliveries,
  redeliver,
  redeliverSince,
  type DeliveryRow,
} from './deliveries.ts';
export {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  findWebhookEndpoint,
  listWebhookEndpoints,
  lockWebhookEndpoint,
  rotateWebhookSecret,
  updateWebhookEndpoint,
  type EndpointAddress,
  type WebhookEndpointRow,
} from './endpoints.ts';
export { createTestDelivery, testEventType } from './test-delivery.ts';
export { recordAttempts, type DeliveryAttempt, type EndpointHealth } from './record-attempts.ts';
export { renewDeliveryLeases } from './renew-leases.ts';
