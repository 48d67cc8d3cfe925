export { deliverEndpoint, type DeliverDeps, type Delivered } from './deliver-endpoint.ts';
export { eventMessage, type EventMessage } from './message.ts';
export { forgetDeliveries, publishEvents, resumeDeliveries } from './publish-events.ts';
export { mayBePublic } from './public-host.ts';
export { newSigningSecret, signedHeaders } from './signature.ts';
export { createWebhookClient, type WebhookClient } from './webhook-client.ts';
