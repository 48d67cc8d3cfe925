export { forgetCallVoices, noteVoice, readAbandonment, saveAbandonment } from './abandonment.ts';
export { countedDials as countedDialsSql, forgetCalledPeople, noteConversations } from './called-people.ts';
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
} from './consents.ts';
export { hasConsent } from './consent-of-dial.ts';
export { fillCalledPeople } from './fill-called-people.ts';
export { findPersonCaps, setPersonCaps, toPersonCaps, type PersonCapsChange } from './person-caps.ts';
export {
  cappedUntil,
  isNumberSuppressed,
  readPersonRestrictions,
  type PersonRestrictions,
} from './person-restrictions.ts';
export {
  addNumberChanges,
  deleteOldNumberChanges,
  listNumberChanges,
  removeNumberChange,
  type NewNumberChange,
  type NumberChangeRow,
} from './number-changes.ts';
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
} from './scrub-lists.ts';
export { findOpeningRules, setDisclosure, setRecordingRule } from './opening-rules.ts';
export { personFreeAt as personFreeAtSql } from './person-free-at.ts';
export type { UndoneFor } from './refusals.ts';
export { findReceipt, findRefusals } from './receipts.ts';
export type { ReceiptRecord, RefusalRecord, ScrubVersion } from './receipts.ts';
export type { PersonCheckJson } from '../schema/compliance.ts';
