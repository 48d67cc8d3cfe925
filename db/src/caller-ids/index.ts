export {
  addCallerId,
  countCallerIds,
  findCallerId,
  lockCallerIds,
  listCallerIds,
  removeCallerId,
  updateCallerId,
  type CallerIdChange,
  type CallerIdRow,
  type NewCallerId,
} from './caller-ids.ts';
export {
  lockCallerIdPool,
  peopleOfClaims,
  roomOfPool,
  takeCallerIdForCall,
  takeCallerIds,
  type CallerIdPool,
} from './permits.ts';
export { endRests, forgetCallerIdUses, readCallerIdHours, restCallerIds } from './rest.ts';
export { findCallerIdRules, setCallerIdRules } from './rules.ts';
