import { ConflictError } from '@outdial/core';
import { postgresCode } from '@outdial/db';

/** An address is unique within an organization. */
export async function withUserErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (postgresCode(error) !== '23505') throw error;
    throw new ConflictError('user_exists', 'The organization already has a user with this email address');
  }
}
