export { createUser, type NewUser } from './create-user.ts';
export { findOrCreateUser, type TokenUser, type TokenUserRow } from './find-or-create-user.ts';
export { findUserDetails, listUsers, type UserDetails } from './list-users.ts';
export { updateUser, type UpdateUserResult, type UserChange } from './update-user.ts';
export { findUsers, type UserRow } from './find-users.ts';
