export {
  addSuppressions,
  checkCallsOfSuppressed,
  type NewSuppression,
  type SuppressionOrigin,
} from './add-suppressions.ts';
export { deleteExpiredSuppressions } from './delete-expired-suppressions.ts';
export { findSuppression, listSuppressions, type SuppressionRow } from './list-suppressions.ts';
export { removeSuppression } from './remove-suppression.ts';
