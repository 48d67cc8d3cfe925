import type { Route } from '../http/define-route.ts';
import { agentRoutes } from './agents/index.ts';
import { apiKeyRoutes } from './api-keys/index.ts';
import { auditLogRoutes } from './audit-log/index.ts';
import { callRoutes } from './calls/index.ts';
import { callerIdRoutes } from './caller-ids/index.ts';
import { campaignRoutes } from './campaigns/index.ts';
import { consentRoutes } from './consents/index.ts';
import { disclosureRoutes } from './disclosures/index.ts';
import { numberChangeRoutes } from './number-changes/index.ts';
import { scrubListRoutes } from './scrub-lists/index.ts';
import { knowledgeBaseRoutes } from './knowledge-base/index.ts';
import { organizationRoutes } from './organization/index.ts';
import { receiptRoutes } from './receipts/index.ts';
import { peopleRoutes } from './people/index.ts';
import { suppressionRoutes } from './suppressions/index.ts';
import { webhookRoutes } from './webhooks/index.ts';
import { tagRoutes } from './tags/index.ts';
import { usageRoutes } from './usage/index.ts';
import { userRoutes } from './users/index.ts';

/** Every operation of the interface, in the order of the document. */
export const routes: readonly Route[] = [
  ...agentRoutes,
  ...callRoutes,
  ...tagRoutes,
  ...campaignRoutes,
  ...knowledgeBaseRoutes,
  ...suppressionRoutes,
  ...consentRoutes,
  ...disclosureRoutes,
  ...numberChangeRoutes,
  ...scrubListRoutes,
  ...receiptRoutes,
  ...callerIdRoutes,
  ...peopleRoutes,
  ...userRoutes,
  ...apiKeyRoutes,
  ...organizationRoutes,
  ...usageRoutes,
  ...webhookRoutes,
  ...auditLogRoutes,
];
