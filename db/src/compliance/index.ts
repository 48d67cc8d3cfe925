export { forgetCalledPeople, noteConversations } from './called-people.ts';
export { findPersonCaps, personFreeFrom, setPersonCaps, type PersonCapsChange } from './person-caps.ts';
export { personFreeAt as personFreeAtSql } from './person-free-at.ts';
