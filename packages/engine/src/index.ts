export { setCampaignConfig } from './campaigns/campaign-config.ts';
export { CampaignFieldsError, ForeignOrganizationError } from './campaigns/campaign-errors.ts';
export { setCampaignStatus, startInTransaction, type StatusDeps } from './campaigns/campaign-status.ts';
export { findCampaignWarnings } from './campaigns/campaign-warnings.ts';
export {
  addRecipientsInTransaction,
  retryRecipientsInTransaction,
  withdrawRecipient,
} from './campaigns/change-recipients.ts';
export { configChanges } from './campaigns/config-changes.ts';
export {
  announceCampaign,
  createCampaign,
  createCampaignInTransaction,
  type CreateCampaignArgs,
  type CreatedCampaign,
} from './campaigns/create-campaign.ts';
export { deleteCampaign } from './campaigns/delete-campaign.ts';
export { holdCampaigns } from './campaigns/hold-campaigns.ts';
export {
  type CellFault,
  detailsOfRow,
  type ListColumns,
  listColumnsOf,
  recipientJson,
} from './campaigns/list-columns.ts';
export { tryCampaign } from './campaigns/try-campaign.ts';
export { updateCampaign, type UpdateCampaignArgs } from './campaigns/update-campaign.ts';
export { complianceOfAgent, wantsRecording } from './compliance/compliance-of-agent.ts';
export { consentProofView, consentView } from './compliance/consent-view.ts';
export { judgeNumberChanges, numberChangeFields } from './compliance/judge-changes.ts';
export { judgeConsent, type ConsentFault } from './compliance/judge-consent.ts';
export { consentFields, consentOfFields, judgeConsents } from './compliance/judge-items.ts';
export { faultOfOlder, faultOfScrub, faultOfSmaller } from './compliance/judge-scrub.ts';
export { openingOfCall } from './compliance/opening-of-call.ts';
export { suppressIn, type Suppressed } from './compliance/suppress.ts';
export { keepLongest, suppressionFields, suppressionOfFields } from './compliance/suppression-rows.ts';
export type * from './deps.ts';
export { dialDue, type DialDueDeps } from './dial/dial-due.ts';
export { createDialer, type Dialer } from './dial/dialer.ts';
export { placeDirectCall } from './direct/place-direct-call.ts';
export { requestCall, requestCallIn, type RequestCallDeps } from './direct/request-call.ts';
export {
  requestWebCallIn,
  type RequestedWebCall,
  webCallsAtMost,
  webConnectSeconds,
} from './direct/request-web-call.ts';
export { enqueueAdvance, enqueueChecks, enqueueDirectCalls, enqueueWithdrawals } from './enqueue.ts';
export { campaignJobFailed } from './failures.ts';
export { estimateEnds } from './forecast/estimate-ends.ts';
export { forecastView } from './forecast/forecast-view.ts';
export { forecastCampaign, type Forecast } from './forecast/forecast.ts';
export { destinationRules, refusedDestinations, findRefusedNumbers } from './gate/destinations.ts';
export { requireWithinLimits } from './gate/quotas.ts';
export { refusalOfTransfer, type TransferRefusal } from './gate/refusal-of-transfer.ts';
export { RefusedNumberError } from './gate/refused-number-error.ts';
export { answerInboundCall } from './inbound/answer-inbound-call.ts';
export type { InboundDeps } from './inbound/inbound-deps.ts';
export { createLocalTimers, type LocalTimers } from './local-timers.ts';
export { applyReports } from './progress/apply-reports.ts';
export type { NeverPlaced } from './progress/end-queued-calls.ts';
export type { CallReport } from './progress/fold-facts.ts';
export { createProgressRecorder, type ProgressRecorder } from './progress/recorder.ts';
export { requestHangUpIn } from './progress/request-hang-up.ts';
export { beginTransfer, endTransfer, transfersAtMost } from './progress/transfer.ts';
export { createProviderDirectory, type ProviderDirectory } from './provider-health/provider-directory.ts';
export { explainRecipient, type ExplainedRecipient } from './receipts/explain-recipient.ts';
export type { JudgedCondition } from './receipts/judged-conditions.ts';
export { readReceipt, type Receipt } from './receipts/read-receipt.ts';
export { proveReceipt, type ReceiptProof, sealReceipts } from './receipts/seal-receipts.ts';
export * from './repair/bring-instants-back.ts';
export { checkCalls } from './repair/check-calls.ts';
export * from './repair/check-due-calls.ts';
export { compareCalls } from './repair/compare-calls.ts';
export * from './repair/delete-recordings.ts';
export * from './repair/end-lost-web-calls.ts';
export * from './repair/end-waiting-for-suppressed.ts';
export * from './repair/enforce-retention.ts';
export * from './repair/erase-deleted-campaigns.ts';
export { hangUpCall } from './repair/hang-up-call.ts';
export * from './repair/hang-up-calls.ts';
export * from './repair/judge-abandonment.ts';
export * from './repair/mark-blocked-campaigns.ts';
export * from './repair/prove-campaign-counts.ts';
export * from './repair/reconcile-line-counters.ts';
export * from './repair/rekey-recipients.ts';
export * from './repair/remove-unrecorded-files.ts';
export * from './repair/rest-caller-ids.ts';
export * from './repair/retry-queued-calls.ts';
export * from './repair/wake-due-campaigns.ts';
export * from './repair/wake-stranded-campaigns.ts';
export * from './repair/withdraw-forgotten-recipients.ts';
export * from './repair/withdraw-queued-calls.ts';
export * from './repair/withdraw-recipients.ts';
export { createCallChecker, type CallChecker } from './send/call-checker.ts';
export { type GatedCall, type SendDeps, isOnlyAccepted } from './send/gated-call.ts';
export { createMediaRuntimes } from './send/media-runtimes.ts';
export { MissingValuesError } from './send/prompt-values.ts';
export { singleBraceWarnings } from './send/prompt-warnings.ts';
export { sendCall } from './send/send-call.ts';
export { lookUpGraceMs } from './timing.ts';
export { explainWaiting, type Waiting } from './waiting/explain-waiting.ts';
export { findWaiting, type CampaignWaiting } from './waiting/find-waiting.ts';
export { recipientWaiting } from './waiting/recipient-waiting.ts';
