import { viewOf, webhookDelivery, webhookEndpoint } from '@outdial/contracts';

export const endpointView = viewOf(webhookEndpoint);
export const deliveryView = viewOf(webhookDelivery);
