export { addSuppressions, type NewSuppression } from './add-suppressions.ts';
export { type ListedSuppression, listSuppressions } from './list-suppressions.ts';
export { removeSuppression } from './remove-suppression.ts';
