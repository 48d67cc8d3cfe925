export * from './advance.ts';
export * from './call-context.ts';
export * from './campaign-config.ts';
export * from './campaign-definition.ts';
export * from './campaign-lifecycle.ts';
export { shareCampaignsOfCalls } from './campaign-locks.ts';
export { isLimited, lockCapacity, lockLimits, takeSharedLines, type Capacity } from './capacity.ts';
export { readProviderContention } from './provider-contention.ts';
export { chooseDue, type ChosenRecipient } from './choose-due.ts';
export * from './clock.ts';
export { bringInstantsBack, type BroughtBack } from './clock-set-back.ts';
export * from './gate/index.ts';
export type { LockedAttempt, LockedCall, LockedRecipient } from './attempt-rows.ts';
export * from './locked-attempts.ts';
export { lockLineCaps } from './line-caps.ts';
export {
  findLineWaiters,
  noLineWaiters,
  releaseLines,
  type HeldLines,
  type LineWaiters,
  type ReleasedLines,
} from './lines.ts';
export * from './failures.ts';
export * from './hang-ups.ts';
export * from './live-calls.ts';
export { isSettled, noteReached } from './outage-watch.ts';
export * from './provider-state.ts';
export * from './queued-calls.ts';
export * from './reconcile-lines.ts';
export { findCampaignsToKey, rekeyBatch } from './rekey-recipients.ts';
export { replanAtStart, replanRecipients, isReplanDue } from './replan-recipients.ts';
export * from './direct-call-gate.ts';
export * from './direct-calls.ts';
export { lanesOf, lockPace, savePace, toLane, type PacedLanes } from './pace.ts';
export { refuseRecipients, setAside, type AfterRefusal, type RefusedRecipient } from './refuse-recipients.ts';
export * from './transfer-lines.ts';
export * from './undo-attempt.ts';
export * from './wake.ts';
export * from './warm-up.ts';
export { isGivenByPolicy, type PlannedAttempt } from './retry-rule.ts';
export { recipientFinished, type RecipientChange } from './recipient-change.ts';
export { writeProgress, type CallChange } from './write-progress.ts';
