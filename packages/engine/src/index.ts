export type * from './deps.ts';
export { createCallChecker, type CallChecker } from './calls/call-checker.ts';
export { checkCalls } from './calls/check-calls.ts';
export { hangUpCall } from './calls/hang-up-call.ts';
export type { GatedCall, SendDeps } from './calls/gated-call.ts';
export { dialDue, type DialDueDeps } from './dial/dial-due.ts';
export { createDialer, type Dialer } from './dial/dialer.ts';
export { placeDirectCall } from './calls/place-direct-call.ts';
export { sendCall } from './calls/send-call.ts';
export { refusalOfTransfer, type TransferRefusal } from './calls/refusal-of-transfer.ts';
export { beginTransfer, endTransfer, transfersAtMost } from './calls/transfer.ts';
export { createMediaRuntimes } from './calls/media-runtimes.ts';
export { answerInboundCall } from './calls/inbound/answer-inbound-call.ts';
export type { InboundDeps } from './calls/inbound/inbound-deps.ts';
export { requestHangUpIn } from './calls/request-hang-up.ts';
export { complianceOfAgent, wantsRecording } from './compliance/compliance-of-agent.ts';
export { openingOfCall } from './compliance/opening-of-call.ts';
export { suppressIn, type Suppressed } from './compliance/suppress.ts';
export { keepLongest, suppressionFields, suppressionOfFields } from './compliance/suppression-rows.ts';
export { setCampaignConfig } from './campaigns/campaign-config.ts';
export * from './campaigns/index.ts';
export { setCampaignStatus, startInTransaction, type StatusDeps } from './campaigns/campaign-status.ts';
export { destinationRules, refusedDestinations } from './limits/destinations.ts';
export { requireWithinLimits } from './limits/quotas.ts';
export { RefusedNumberError } from './limits/refused-number-error.ts';
export { enqueueAdvance, enqueueChecks, enqueueDirectCalls, enqueueWithdrawals } from './enqueue.ts';
export { campaignJobFailed } from './failures.ts';
export { createLocalTimers, type LocalTimers } from './local-timers.ts';
export { applyReports } from './progress/apply-reports.ts';
export type { NeverPlaced } from './progress/end-queued-calls.ts';
export type { CallReport } from './progress/fold-facts.ts';
export { createProviderDirectory, type ProviderDirectory } from './provider-health/provider-directory.ts';
export { createProgressRecorder, type ProgressRecorder } from './progress/recorder.ts';
export { MissingValuesError } from './calls/prompt-values.ts';
export { requestCall, requestCallIn, type RequestCallDeps } from './calls/request-call.ts';
export {
  requestWebCallIn,
  type RequestedWebCall,
  webCallsAtMost,
  webConnectSeconds,
} from './calls/request-web-call.ts';
export * from './sweeps/index.ts';
export { isOnlyAccepted } from './calls/gated-call.ts';
export { lookUpGraceMs } from './timing.ts';
export { findRefusedNumbers } from './limits/destinations.ts';
export * from './waiting/index.ts';
export * from './receipts/index.ts';
export * from './forecast/index.ts';
export * from './consents/index.ts';
export * from './number-changes/index.ts';
export * from './scrub-lists/index.ts';
