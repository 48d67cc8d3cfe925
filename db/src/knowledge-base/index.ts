export { addItem, type AddItemResult, type ItemLimits, type NewItem } from './add-item.ts';
export { changeItem, deleteItem, type ChangeItemResult } from './change-item.ts';
export {
  claimDocument,
  failDocument,
  organizationsWithDocuments,
  releaseDocument,
  renewLease,
  type IngestionLease,
} from './ingestion-leases.ts';
export { findItem, listItems, readContent, type ItemFilter, type ItemRow } from './items.ts';
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
} from './knowledge-bases.ts';
export { createPostgresFileStore } from './postgres-file-store.ts';
export { isUnstorableText, saveExtraction } from './save-extraction.ts';
export { recoverIngestions, takeUnpublishedItems, type RecoveredIngestions } from './recover.ts';
export {
  abandonUpload,
  findFilesToRemove,
  forgetFile,
  isFileRemovable,
  registerUpload,
} from './stored-files.ts';
export { searchPassages, type FoundPassage, type PassageSearch } from './search.ts';
