export { erasePerson, type ErasePersonResult, type ErasureCounts } from './erase-person.ts';
export { countErasures, type ErasureRow, findErasure, listErasures } from './erasures.ts';
export { findRecipientsOfPerson } from './find-recipients-of-person.ts';
export {
  finishRecordingDeletion,
  type RecordingDeletion,
  saveRecordingDeletionFailure,
  takeRecordingDeletions,
} from './recording-deletions.ts';
