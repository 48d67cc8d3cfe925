export { addSkill, type NewSkill } from './agents/add-skill.ts';
export { createAgent, type NewAgent } from './agents/create-agent.ts';
export { deleteAgent, type DeleteAgentResult } from './agents/delete-agent.ts';
export * from './agents/find-agent-config.ts';
export { type AgentRow, findAgent } from './agents/find-agent.ts';
export {
  AmbiguousAgentNameError,
  type AgentImport,
  findAgentsByName,
  importAgent,
  type ImportedAgent,
} from './agents/import-agent.ts';
export { listAgents, type ListedAgentRow } from './agents/list-agents.ts';
export { addPrompt, listPrompts, type NewPrompt, type PromptRow } from './agents/prompts.ts';
export { type AgentChange, updateAgent } from './agents/update-agent.ts';
export { createApiKey, hashApiKey, type NewApiKey } from './api-keys/create-api-key.ts';
export { type ApiKeyIdentity, findApiKey } from './api-keys/find-api-key.ts';
export { findListedApiKey, type ListedApiKey, listApiKeys } from './api-keys/list-api-keys.ts';
export { revokeApiKey } from './api-keys/revoke-api-key.ts';
export { rotateApiKey, type RotateApiKeyResult } from './api-keys/rotate-api-key.ts';
export { touchApiKey } from './api-keys/touch-api-key.ts';
export { type AuditFilters, type AuditLogRow, listAuditLog } from './audit-log/list-audit-log.ts';
export {
  type AuditActor,
  auditCreated,
  type AuditNote,
  type AuditOrigin,
  auditOrganization,
  type AuditTarget,
  noteChange,
  runAudited,
} from './audit/audit-scope.ts';
export { lockRights, type LostRights, lostRights, type Rights } from './audit/rights.ts';
export {
  addCallerId,
  confirmCallerId,
  countCallerIds,
  findCallerId,
  hasCallerId,
  lockCallerIds,
  rejectCallerId,
  listCallerIds,
  listPendingCallerIds,
  removeCallerId,
  updateCallerId,
  type CallerIdChange,
  type CallerIdRow,
  type NewCallerId,
} from './caller-ids/caller-ids.ts';
export { findFittingCallerId } from './caller-ids/find-fitting.ts';
export { freeCallerIds, takeCallerIdForCall, takeCallerIds } from './caller-ids/permits.ts';
export { lockCallerIdPool, callsLeftOf, type CallerIdPool } from './caller-ids/pool.ts';
export { endRests, forgetCallerIdUses, readCallerIdHours, restCallerIds } from './caller-ids/rest.ts';
export { findCallerIdRules, setCallerIdRules } from './caller-ids/rules.ts';
export { annotateCall, type CallAnnotations } from './calls/annotate-call.ts';
export type { CallRow } from './calls/call-row.ts';
export { findCallProvider } from './calls/find-call-provider.ts';
export { findCall } from './calls/find-call.ts';
export { findLiveCallsOfProvider } from './calls/find-live-calls-of-provider.ts';
export { type CallFilters, listCalls, type ListedCallRow } from './calls/list-calls.ts';
export { recipientStates, type PublicRecipientState } from './campaign-counts/count-columns.ts';
export * from './campaign-counts/fold-counts.ts';
export * from './campaign-counts/prove-counts.ts';
export * from './campaigns/add-recipients.ts';
export * from './campaigns/blocked-campaigns.ts';
export * from './campaigns/campaign-config.ts';
export * from './campaigns/campaign-definition.ts';
export * from './campaigns/campaign-lifecycle.ts';
export { shareCampaignsOfCalls } from './campaigns/campaign-locks.ts';
export * from './campaigns/campaign-numbers.ts';
export * from './campaigns/campaign-progress.ts';
export * from './campaigns/delete-campaign.ts';
export { saveEstimate, takeDueEstimate } from './campaigns/estimated-ends.ts';
export * from './campaigns/failures.ts';
export * from './campaigns/find-campaign-config.ts';
export * from './campaigns/find-campaign-for-operators.ts';
export * from './campaigns/find-running-campaigns.ts';
export * from './campaigns/find-warning-view.ts';
export {
  findForecastLimits,
  findOutcomeRates,
  type ForecastLimits,
  groupForForecast,
} from './campaigns/forecast-view.ts';
export * from './campaigns/insert-campaign.ts';
export * from './campaigns/is-long-campaign.ts';
export { moveCampaignZone } from './campaigns/move-campaign-zone.ts';
export { numbersOfPage } from './campaigns/numbers-of-page.ts';
export * from './campaigns/organization-timezone.ts';
export { type CampaignRecord, findCampaign, listCampaigns } from './campaigns/read-campaigns.ts';
export * from './campaigns/read-snapshot.ts';
export { recipientFinished, type RecipientChange } from './campaigns/recipient-change.ts';
export type * from './campaigns/recipient-details.ts';
export type * from './campaigns/recipient-list.ts';
export { callingKeysOf } from './campaigns/recipient-list.ts';
export { ListReplacedError, recipientParamsText } from './campaigns/recipient-params.ts';
export * from './campaigns/refresh-statistics.ts';
export { findCampaignsToKey, rekeyBatch } from './campaigns/rekey-recipients.ts';
export * from './campaigns/replace-recipients.ts';
export { replanAtStart, replanRecipients, isReplanDue } from './campaigns/replan-recipients.ts';
export * from './campaigns/retry-recipients.ts';
export { isGivenByPolicy, type PlannedAttempt } from './campaigns/retry-rule.ts';
export { stepOfRow } from './campaigns/stored-step.ts';
export * from './campaigns/update-campaign.ts';
export * from './campaigns/wake.ts';
export * from './campaigns/withdraw-recipient.ts';
export * from './clock.ts';
export { forgetCallVoices, noteVoice, readAbandonment, saveAbandonment } from './compliance/abandonment.ts';
export {
  countedDials as countedDialsSql,
  forgetCalledPeople,
  noteConversations,
} from './compliance/called-people.ts';
export { hasConsent } from './compliance/consent-of-dial.ts';
export {
  addConsents,
  deleteOldConsents,
  findConsent,
  findConsentProof,
  listConsents,
  revokeConsent,
  type ConsentRow,
  type NewConsent,
  type ProofOfPerson,
} from './compliance/consents.ts';
export { fillCalledPeople } from './compliance/fill-called-people.ts';
export {
  addNumberChanges,
  deleteOldNumberChanges,
  listNumberChanges,
  removeNumberChange,
  type NewNumberChange,
  type NumberChangeRow,
} from './compliance/number-changes.ts';
export { findOpeningRules, setDisclosure, setRecordingRule } from './compliance/opening-rules.ts';
export {
  findPersonCaps,
  setPersonCaps,
  toPersonCaps,
  type PersonCapsChange,
} from './compliance/person-caps.ts';
export { personFreeAt as personFreeAtSql } from './compliance/person-free-at.ts';
export {
  cappedUntil,
  isNumberSuppressed,
  readPersonRestrictions,
  type PersonRestrictions,
} from './compliance/person-restrictions.ts';
export {
  addNumberQueries,
  deleteOldNumberQueries,
  listNumberQueries,
  type NewNumberQuery,
  type NumberQueryRow,
} from './compliance/number-queries.ts';
export {
  addSeal,
  findSealOf,
  listSeals,
  readLeaves,
  sealKey,
  takeUnsealed,
  type SealedText,
  type SealRow,
} from './compliance/receipt-seals.ts';
export {
  findReceipt,
  countRefusals,
  findRefusals,
  type ReceiptRecord,
  type RefusalRecord,
  type ScrubVersion,
  listCallIdsOfPerson,
} from './compliance/receipts.ts';
export { listRevocations } from './compliance/revocations.ts';
export {
  addRuleVersion,
  applyRules,
  findRules,
  listRuleVersions,
  type RuleVersion,
  UnusableRulesError,
} from './compliance/rule-versions.ts';
export type { UndoneFor } from './compliance/refusals.ts';
export {
  addToScrubList,
  findScrubList,
  forgetScrubbedNumbers,
  listScrubLists,
  removeScrubList,
  scrubsValidUntil,
  unknownScrubLists,
  type ScrubListRow,
  type ScrubPart,
} from './compliance/scrub-lists.ts';
export * from './connect.ts';
export * from './dial/advance.ts';
export { chooseDue, type ChosenRecipient } from './dial/choose-due.ts';
export {
  refuseRecipients,
  setAside,
  type AfterRefusal,
  type RefusedRecipient,
} from './dial/refuse-recipients.ts';
export * from './dial/warm-up.ts';
export * from './direct/direct-call-gate.ts';
export * from './direct/direct-calls.ts';
export { shareSuppressions } from './gate-locks.ts';
export { passGate } from './gate/campaign-gate.ts';
export { gateConditions, type GateFact, type GateReason, type GateRefusal } from './gate/conditions.ts';
export { lockQueuedCall, passDirectCallGate, type QueuedCall } from './gate/direct-gate.ts';
export { type DirectCallee, type DirectTerms, findDirectCallee } from './gate/direct-terms.ts';
export { explainGate, type GateVerdict } from './gate/explain-gate.ts';
export { gateRelease, idOf } from './gate/gate-release.ts';
export type { GateAnswer, GateDial, GatePass, GateTerms } from './gate/gate-terms.ts';
export type { OpenWindow } from './gate/open-windows.ts';
export { forbids, judgeQueuedCall, takeForbiddenForCheck, type QueuedTerms } from './gate/queued-gate.ts';
export {
  passRepeatGate,
  type CampaignOfCall,
  type RepeatAnswer,
  type RepeatTerms,
} from './gate/repeat-gate.ts';
export { saveGateGrounds } from './gate/save-grounds.ts';
export { claimIdempotencyKey, type IdempotencyClaim } from './idempotency/claim-idempotency-key.ts';
export { deleteOldIdempotencyKeys } from './idempotency/delete-old-keys.ts';
export { idempotencyRetentionHours, type IdempotentRequest } from './idempotency/idempotency-key.ts';
export { saveIdempotentResponse } from './idempotency/save-response.ts';
export * from './inbound/inbound-calls.ts';
export { addItem, type AddItemResult, type ItemLimits, type NewItem } from './knowledge-base/add-item.ts';
export { changeItem, deleteItem, type ChangeItemResult } from './knowledge-base/change-item.ts';
export {
  claimDocument,
  failDocument,
  organizationsWithDocuments,
  releaseDocument,
  renewLease,
  type IngestionLease,
} from './knowledge-base/ingestion-leases.ts';
export { findItem, listItems, readContent, type ItemFilter, type ItemRow } from './knowledge-base/items.ts';
export {
  createKnowledgeBase,
  deleteKnowledgeBase,
  findKnowledgeBase,
  lockKnowledgeBase,
  listKnowledgeBases,
  updateKnowledgeBase,
  type DeletedKnowledgeBase,
  type KnowledgeBaseRow,
  type NewKnowledgeBase,
} from './knowledge-base/knowledge-bases.ts';
export { createPostgresFileStore } from './knowledge-base/postgres-file-store.ts';
export {
  recoverIngestions,
  takeUnpublishedItems,
  type RecoveredIngestions,
} from './knowledge-base/recover.ts';
export { isUnstorableText, saveExtraction } from './knowledge-base/save-extraction.ts';
export { searchPassages, type FoundPassage, type PassageSearch } from './knowledge-base/search.ts';
export {
  abandonUpload,
  findFilesToRemove,
  forgetFile,
  isFileRemovable,
  registerUpload,
} from './knowledge-base/stored-files.ts';
export * from './lesser-role.ts';
export { isLimited, lockCapacity, lockLimits, takeSharedLines, type Capacity } from './lines/capacity.ts';
export { lockLineCaps } from './lines/line-caps.ts';
export {
  findLineWaiters,
  noLineWaiters,
  releaseLines,
  type HeldLines,
  type LineWaiters,
  type ReleasedLines,
} from './lines/lines.ts';
export { lanesOf, lockPace, savePace, toLane, type PacedLanes } from './lines/pace.ts';
export { readProviderContention } from './lines/provider-contention.ts';
export * from './lines/reconcile-lines.ts';
export * from './lines/transfer-lines.ts';
export * from './lists/newest-first.ts';
export { readConnectionLimits } from './metrics/connection-limits.ts';
export * from './metrics/measure-state.ts';
export * from './migrate.ts';
export { findCallingPolicy, lockCallingPolicy } from './organizations/calling-policy.ts';
export { findCarrierInstructionRules } from './organizations/carrier-instruction-rules.ts';
export { createFirstOrganization } from './organizations/create-first-organization.ts';
export { createOrganization, type NewOrganization } from './organizations/create-organization.ts';
export {
  findOrganizationDetails,
  type OrganizationDetails,
  type Retention,
} from './organizations/find-organization.ts';
export { findOrganizations, type OrganizationRow } from './organizations/find-organizations.ts';
export { organizationExists } from './organizations/organization-exists.ts';
export {
  countCallsToday,
  countCampaignsAndRecipients,
  findOrganizationLimits,
  type OrganizationLimits,
  requestsPerMinute,
} from './organizations/organization-limits.ts';
export { lockQuota, readCallsLeft } from './organizations/quota.ts';
export { type OrganizationChange, updateOrganization } from './organizations/update-organization.ts';
export * from './outbox/campaign-call-events.ts';
export { deleteOldOutboxEvents, outboxRetentionDays } from './outbox/delete-old-events.ts';
export { noteEventReader } from './outbox/event-readers.ts';
export type { CallEventData, OutboxEvent, RecipientEventData } from './outbox/outbox-event.ts';
export { placeEvents, type PlacedEvents } from './outbox/place-events.ts';
export { findEventPosition, readEvents, type PlacedEvent } from './outbox/read-events.ts';
export { writeOutbox } from './outbox/write-outbox.ts';
export { erasePerson, type ErasePersonResult, type ErasureCounts } from './people/erase-person.ts';
export { countErasures, type ErasureRow, findErasure, listErasures } from './people/erasures.ts';
export { findRecipientsOfPerson } from './people/find-recipients-of-person.ts';
export {
  finishRecordingDeletion,
  type RecordingDeletion,
  saveRecordingDeletionFailure,
  takeRecordingDeletions,
} from './people/recording-deletions.ts';
export { anyLength } from './postgres/any-length.ts';
export {
  type Caller,
  CallerLeftError,
  ConnectionsBusyError,
  forCaller,
  StatementTooLongError,
  withinMs,
} from './postgres/caller.ts';
export { deferred } from './postgres/deferred.ts';
export { postgresCode } from './postgres/error-code.ts';
export { prepared } from './postgres/prepared.ts';
export type { LockedAttempt, LockedCall, LockedRecipient } from './progress/attempt-rows.ts';
export * from './progress/hang-ups.ts';
export * from './progress/locked-attempts.ts';
export * from './progress/undo-attempt.ts';
export { writeProgress, type CallChange } from './progress/write-progress.ts';
export * from './providers/provider-state.ts';
export {
  listProviderNames,
  listProviders,
  type ProviderChanges,
  type ProviderRow,
  setProvider,
} from './providers/set-provider.ts';
export * from './recipients/list-recipients.ts';
export type { RecipientFilters } from './recipients/recipient-filters.ts';
export * from './recordings/stored-recordings.ts';
export { bringInstantsBack, type BroughtBack } from './repair/clock-set-back.ts';
export * from './repair/queued-calls.ts';
export { enforceRetention, type RetentionBatch, type RetentionKind } from './retention/enforce-retention.ts';
export type { CallEvent } from './schema/calls.ts';
export type { JsonObject } from './schema/columns.ts';
export type { PersonCheckJson } from './schema/compliance.ts';
export type { Database } from './schema/index.ts';
export type { Role } from './schema/organizations.ts';
export * from './send/call-context.ts';
export * from './send/live-calls.ts';
export { createSession, type NewSession } from './sessions/create-session.ts';
export { createSignInLink } from './sessions/create-sign-in-link.ts';
export { endSession } from './sessions/end-sessions.ts';
export { findSession, type SessionIdentity } from './sessions/find-session.ts';
export { findSignInUser, type SignInUser } from './sessions/find-sign-in-user.ts';
export { forgetExpiredSessions } from './sessions/forget-expired-sessions.ts';
export { hashToken } from './sessions/token.ts';
export { touchSession } from './sessions/touch-session.ts';
export { useSignInLink } from './sessions/use-sign-in-link.ts';
export {
  addSuppressions,
  checkCallsOfSuppressed,
  type KnownNumbers,
  type NewSuppression,
  type SuppressionOrigin,
} from './suppressions/add-suppressions.ts';
export { deleteExpiredSuppressions } from './suppressions/delete-expired-suppressions.ts';
export { endWaitingForSuppressed, type EndedWaiting } from './suppressions/end-waiting.ts';
export {
  allowEverywhere,
  listSuppressedEverywhere,
  suppressEverywhere,
  type InstallationSuppression,
} from './suppressions/installation-suppressions.ts';
export {
  findErasedSuppression,
  findSuppression,
  listSuppressions,
  type SuppressionRow,
} from './suppressions/list-suppressions.ts';
export { addPersonNumbers, findPersonOfNumber, type PersonNumber } from './suppressions/person-numbers.ts';
export { removeSuppression } from './suppressions/remove-suppression.ts';
export { ensureTags } from './tags/ensure-tags.ts';
export { listTags, type TagRow } from './tags/list-tags.ts';
export * from './transaction.ts';
export { readUsage, type UsageKey, type UsageRow } from './usage/read-usage.ts';
export { createUser, type NewUser } from './users/create-user.ts';
export { findOrCreateUser, type TokenUser, type TokenUserRow } from './users/find-or-create-user.ts';
export { findUsers, type UserRow } from './users/find-users.ts';
export { findUserDetails, listUsers, type UserDetails } from './users/list-users.ts';
export { updateUser, type UpdateUserResult, type UserChange } from './users/update-user.ts';
export * from './voice/voice-call.ts';
export * from './voice/voice-processes.ts';
export * from './voice/web-calls.ts';
export * from './waiting/waiting-view.ts';
export {
  claimDeliveries,
  findEndpointsWithDueDeliveries,
  type ClaimedDeliveries,
  type ClaimedDelivery,
  type DeliveryTarget,
} from './webhooks/claim-deliveries.ts';
export {
  deleteOldDeliveries,
  listDeliveries,
  redeliver,
  redeliverSince,
  type DeliveryRow,
} from './webhooks/deliveries.ts';
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
} from './webhooks/endpoints.ts';
export { recordAttempts, type DeliveryAttempt, type EndpointHealth } from './webhooks/record-attempts.ts';
export { renewDeliveryLeases } from './webhooks/renew-leases.ts';
export { createTestDelivery, testEventType } from './webhooks/test-delivery.ts';
export * from './workers/list-live-workers.ts';
export { isSettled, noteReached } from './workers/outage-watch.ts';
export * from './workers/worker-heartbeat.ts';
export { writeAsRequestsDo } from './write-as-requests-do.ts';
