import { user, type User, viewOf } from '@outdial/contracts';
import { type UserDetails, postgresCode } from '@outdial/db';
import { ConflictError } from '@outdial/core';

const view = viewOf(user);

export function userView(row: UserDetails): User {
  return view({ ...row, disabled: row.disabled_at !== null });
}

/** An address is unique within an organization. */
export async function withUserErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (postgresCode(error) !== '23505') throw error;
    throw new ConflictError('user_exists', 'The organization already has a user with this email address');
  }
}
