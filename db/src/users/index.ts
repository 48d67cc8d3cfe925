export { createUser, type NewUser } from './create-user.ts';
export { findOrCreateUser, type TokenUser } from './find-or-create-user.ts';
export { lesserRole } from './lesser-role.ts';
export { findUsers, type UserRow } from './find-users.ts';
