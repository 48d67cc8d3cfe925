export { deliverEndpoint, type DeliverDeps, type Delivered } from './deliver-endpoint.ts';
export { createGiveWay, type GiveWay } from './give-way.ts';
export { eventMessage, type EventMessage } from './message.ts';
export { forgetDeliveries, publishEvents, resumeDeliveries } from './publish-events.ts';
export { newSigningSecret, signedHeaders, signingKey } from './signature.ts';
export { createWebhookClient, type WebhookClient } from './webhook-client.ts';
