import type { Route } from '../../http/define-route.ts';
import { listDeliveriesRoute, redeliverRoute, redeliverSinceRoute, testEndpointRoute } from './deliveries.ts';
import {
  createEndpointRoute,
  deleteEndpointRoute,
  listEndpointsRoute,
  readEndpointRoute,
  rotateSecretRoute,
  updateEndpointRoute,
} from './endpoints.ts';
import { listEventsRoute } from './events.ts';

export const webhookRoutes: readonly Route[] = [
  createEndpointRoute,
  listEndpointsRoute,
  readEndpointRoute,
  updateEndpointRoute,
  deleteEndpointRoute,
  rotateSecretRoute,
  testEndpointRoute,
  listDeliveriesRoute,
  redeliverSinceRoute,
  redeliverRoute,
  listEventsRoute,
];
