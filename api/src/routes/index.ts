import type { Route } from '../http/define-route.ts';
import { makeCall } from './agents/call.ts';
import { createAgent } from './agents/create.ts';
import { deleteAgent } from './agents/delete.ts';
import { listAgentCalls } from './agents/list-calls.ts';
import { listAgents } from './agents/list.ts';
import { addPrompt, listPrompts } from './agents/prompts.ts';
import { readAgent } from './agents/read.ts';
import { updateAgent } from './agents/update.ts';
import { makeWebCall } from './agents/web-call.ts';
import { createApiKey } from './api-keys/create.ts';
import { listApiKeys } from './api-keys/list.ts';
import { revokeApiKey } from './api-keys/revoke.ts';
import { rotateApiKey } from './api-keys/rotate.ts';
import { listAuditLog } from './audit-log/list.ts';
import { addCallerId } from './caller-ids/add.ts';
import { listCallerIds } from './caller-ids/list.ts';
import { readCallerId } from './caller-ids/read.ts';
import { removeCallerId } from './caller-ids/remove.ts';
import { updateCallerId } from './caller-ids/update.ts';
import { annotateCall } from './calls/annotate.ts';
import { hangUpCall } from './calls/hang-up.ts';
import { listCalls } from './calls/list.ts';
import { readCall } from './calls/read.ts';
import { readRecording } from './calls/recording.ts';
import { addRecipients } from './campaigns/add-recipients.ts';
import { createCampaign } from './campaigns/create.ts';
import { deleteCampaign } from './campaigns/delete.ts';
import { exportCampaign } from './campaigns/export.ts';
import { forecastCampaign } from './campaigns/forecast.ts';
import { importCampaign } from './campaigns/import.ts';
import { listCampaignCalls } from './campaigns/list-calls.ts';
import { listRecipients } from './campaigns/list-recipients.ts';
import { listCampaigns } from './campaigns/list.ts';
import { readCampaignConfig } from './campaigns/read-config.ts';
import { readCampaignProgress } from './campaigns/read-progress.ts';
import { readCampaign } from './campaigns/read.ts';
import { retryRecipients } from './campaigns/retry-recipients.ts';
import { setCampaignConfig } from './campaigns/set-config.ts';
import { setCampaignStatus } from './campaigns/set-status.ts';
import { streamCampaign } from './campaigns/stream.ts';
import { updateCampaign } from './campaigns/update.ts';
import { withdrawRecipient } from './campaigns/withdraw-recipient.ts';
import { addConsent } from './consents/add.ts';
import { importConsents } from './consents/import.ts';
import { listConsents } from './consents/list.ts';
import { proveConsent } from './consents/prove.ts';
import { revokeConsent } from './consents/revoke.ts';
import { readDisclosures } from './disclosures/read.ts';
import { createKnowledgeBaseRoute } from './knowledge-base/create.ts';
import { deleteItemRoute } from './knowledge-base/delete-item.ts';
import { deleteKnowledgeBaseRoute } from './knowledge-base/delete.ts';
import { listItemsRoute } from './knowledge-base/list-items.ts';
import { listKnowledgeBasesRoute } from './knowledge-base/list.ts';
import { readItemRoute } from './knowledge-base/read-item.ts';
import { readKnowledgeBaseRoute } from './knowledge-base/read.ts';
import { searchKnowledgeBaseRoute } from './knowledge-base/search.ts';
import { updateItemRoute } from './knowledge-base/update-item.ts';
import { updateKnowledgeBaseRoute } from './knowledge-base/update.ts';
import { uploadItemRoute } from './knowledge-base/upload-item.ts';
import { importNumberChanges } from './number-changes/import.ts';
import { listNumberChanges } from './number-changes/list.ts';
import { removeNumberChange } from './number-changes/remove.ts';
import { readOrganization } from './organization/read.ts';
import { updateOrganization } from './organization/update.ts';
import { erasePerson } from './people/erase.ts';
import { listErasures, readErasure } from './people/erasures.ts';
import { defendPerson } from './people/defend.ts';
import { importNumberQueries } from './number-queries/import.ts';
import { listNumberQueries } from './number-queries/list.ts';
import { exportPerson } from './people/export.ts';
import { importPersonNumbers } from './people/import.ts';
import { readCampaignRefusals } from './receipts/campaign-refusals.ts';
import { explainRecipient } from './receipts/explain.ts';
import { listReceiptSeals } from './receipts/list-seals.ts';
import { proveReceipt } from './receipts/prove.ts';
import { readReceipt } from './receipts/read.ts';
import { importScrubList } from './scrub-lists/import.ts';
import { listScrubLists } from './scrub-lists/list.ts';
import { removeScrubList } from './scrub-lists/remove.ts';
import { addSuppression } from './suppressions/add.ts';
import { importSuppressions } from './suppressions/import.ts';
import { listSuppressions } from './suppressions/list.ts';
import { removeSuppression } from './suppressions/remove.ts';
import { listTags } from './tags/list.ts';
import { readUsage } from './usage/read.ts';
import { createSignInLink } from './users/create-sign-in-link.ts';
import { createUser } from './users/create.ts';
import { listUsers } from './users/list.ts';
import { readUser } from './users/read.ts';
import { updateUser } from './users/update.ts';
import {
  listDeliveriesRoute,
  redeliverRoute,
  redeliverSinceRoute,
  testEndpointRoute,
} from './webhooks/deliveries.ts';
import {
  createEndpointRoute,
  deleteEndpointRoute,
  listEndpointsRoute,
  readEndpointRoute,
  rotateSecretRoute,
  updateEndpointRoute,
} from './webhooks/endpoints.ts';
import { listEventsRoute } from './webhooks/events.ts';

export const routes: readonly Route[] = [
  makeCall,
  makeWebCall,
  listAgents,
  createAgent,
  readAgent,
  updateAgent,
  deleteAgent,
  listAgentCalls,
  addPrompt,
  listPrompts,
  listCalls,
  readCall,
  annotateCall,
  hangUpCall,
  readRecording,
  listTags,
  createCampaign,
  listCampaigns,
  readCampaign,
  updateCampaign,
  setCampaignStatus,
  setCampaignConfig,
  readCampaignConfig,
  readCampaignProgress,
  listRecipients,
  addRecipients,
  withdrawRecipient,
  retryRecipients,
  forecastCampaign,
  listCampaignCalls,
  deleteCampaign,
  exportCampaign,
  importCampaign,
  streamCampaign,
  createKnowledgeBaseRoute,
  listKnowledgeBasesRoute,
  readKnowledgeBaseRoute,
  updateKnowledgeBaseRoute,
  deleteKnowledgeBaseRoute,
  uploadItemRoute,
  listItemsRoute,
  readItemRoute,
  updateItemRoute,
  deleteItemRoute,
  searchKnowledgeBaseRoute,
  listSuppressions,
  addSuppression,
  removeSuppression,
  importSuppressions,
  listConsents,
  addConsent,
  importConsents,
  revokeConsent,
  proveConsent,
  readDisclosures,
  listNumberChanges,
  importNumberChanges,
  importNumberQueries,
  listNumberQueries,
  removeNumberChange,
  listScrubLists,
  importScrubList,
  removeScrubList,
  readReceipt,
  listReceiptSeals,
  proveReceipt,
  explainRecipient,
  readCampaignRefusals,
  listCallerIds,
  readCallerId,
  addCallerId,
  updateCallerId,
  removeCallerId,
  exportPerson,
  importPersonNumbers,
  defendPerson,
  erasePerson,
  listErasures,
  readErasure,
  listUsers,
  readUser,
  createUser,
  updateUser,
  createSignInLink,
  listApiKeys,
  createApiKey,
  revokeApiKey,
  rotateApiKey,
  readOrganization,
  updateOrganization,
  readUsage,
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
  listAuditLog,
];
