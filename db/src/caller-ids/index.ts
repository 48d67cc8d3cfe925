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
} from './caller-ids.ts';
export { freeCallerIds, takeCallerIdForCall, takeCallerIds } from './permits.ts';
export { findFittingCallerId } from './find-fitting.ts';
export { lockCallerIdPool, callsLeftOf, type CallerIdPool } from './pool.ts';
export { endRests, forgetCallerIdUses, readCallerIdHours, restCallerIds } from './rest.ts';
export { findCallerIdRules, setCallerIdRules } from './rules.ts';
