import type { Route } from '../http/define-route.ts';
import { agentRoutes } from './agents/index.ts';
import { callRoutes } from './calls/index.ts';
import { campaignRoutes } from './campaigns/index.ts';
import { knowledgeBaseRoutes } from './knowledge-base/index.ts';

/** Every operation of the interface, in the order of the document. */
export const routes: readonly Route[] = [
  ...agentRoutes,
  ...callRoutes,
  ...campaignRoutes,
  ...knowledgeBaseRoutes,
];
