export {
  addSuppressions,
  checkCallsOfSuppressed,
  type KnownNumbers,
  type NewSuppression,
  type SuppressionOrigin,
} from './add-suppressions.ts';
export { endWaitingForSuppressed, type EndedWaiting } from './end-waiting.ts';
export {
  allowEverywhere,
  listSuppressedEverywhere,
  suppressEverywhere,
  type InstallationSuppression,
} from './installation-suppressions.ts';
export { deleteExpiredSuppressions } from './delete-expired-suppressions.ts';
export {
  findErasedSuppression,
  findSuppression,
  listSuppressions,
  type SuppressionRow,
} from './list-suppressions.ts';
export { removeSuppression } from './remove-suppression.ts';
