import { sql } from 'kysely';
import { lockRights } from '../audit/rights.ts';
import { noteChange } from '../audit/audit-scope.ts';
import type { Role } from '../schema/organizations.ts';
import { endSessionsOfUser } from '../sessions/end-sessions.ts';
import type { Tx } from '../transaction.ts';
import { findUserDetails, type UserDetails } from './list-users.ts';

/** Omitted fields do not change. */
export interface UserChange {
  email?: string | undefined;
  firstName?: string | undefined;
  lastName?: string | undefined;
  /** Limits the user's keys and tokens. A change signs the user out of the console. */
  role?: Role | undefined;
  /** Keys and tokens of a disabled user are refused; enabling the user makes them valid again. */
  disabled?: boolean | undefined;
  /** Revokes all tokens issued until now. */
  revokeTokens?: boolean | undefined;
}

export type UpdateUserResult =
  | { kind: 'updated'; user: UserDetails }
  | { kind: 'not_found' }
  /** The organization would have no admin left. */
  | { kind: 'last_admin' };

export async function updateUser(
  tx: Tx,
  args: {
    organizationId: string;
    userId: string;
    change: UserChange;
    now: Date;
    /** Runs when the user is locked, and throws to refuse the change. */
    precondition?: (before: UserDetails) => Promise<void>;
  },
): Promise<UpdateUserResult> {
  const { organizationId, userId, change, now } = args;
  await lockRights(tx, organizationId);
  // Locks all admins in a fixed order, so that two admins who disable each other concurrently cannot both succeed.
  const admins = await tx
    .selectFrom('users')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where((where) =>
      where.or([
        where.and([where('role', '=', 'admin'), where('disabled_at', 'is', null)]),
        where('id', '=', userId),
      ]),
    )
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
  const before = await findUserDetails(tx, { organizationId, userId });
  if (before === null) return { kind: 'not_found' };
  await args.precondition?.(before);
  const isAdmin = before.role === 'admin' && before.disabled_at === null;
  const staysAdmin = (change.role ?? before.role) === 'admin' && change.disabled !== true;
  if (isAdmin && !staysAdmin && admins.length === 1) return { kind: 'last_admin' };
  await tx
    .updateTable('users')
    .set({
      updated_at: now,
      ...(change.email === undefined ? {} : { email: change.email }),
      ...(change.firstName === undefined ? {} : { first_name: change.firstName }),
      ...(change.lastName === undefined ? {} : { last_name: change.lastName }),
      ...(change.role === undefined ? {} : { role: change.role, role_follows_token: false }),
      ...(change.disabled === undefined
        ? {}
        : { disabled_at: change.disabled ? (before.disabled_at ?? now) : null }),
      ...(change.revokeTokens === true ? { tokens_not_before: sql<Date>`now()` } : {}),
    })
    .where('organization_id', '=', organizationId)
    .where('id', '=', userId)
    .execute();
  const endsSessions =
    change.disabled === true || change.revokeTokens === true || (change.role ?? before.role) !== before.role;
  if (endsSessions) await endSessionsOfUser(tx, { organizationId, userId });
  const user = await findUserDetails(tx, { organizationId, userId });
  if (user === null) return { kind: 'not_found' };
  noteChange({ type: 'user', id: userId, before: loggable(before), after: loggable(user) });
  return { kind: 'updated', user };
}

/** Omits names and addresses, because the log cannot be erased. */
function loggable(user: UserDetails) {
  return { role: user.role, disabled_at: user.disabled_at, tokens_not_before: user.tokens_not_before };
}
