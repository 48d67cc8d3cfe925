import { type Selectable, sql } from 'kysely';
import type { Role, UserTable } from '../schema/organizations.ts';
import { lesserRole } from '../connect.ts';
import { type Db, type Executor, inTransaction, type Tx } from '../transaction.ts';
import { type NewestFirst, selectNewestFirst } from '../lists/newest-first.ts';
import { lockRights } from '../audit/rights.ts';
import { noteChange } from '../audit/audit-scope.ts';
import { endSessionsOfUser } from '../sessions/sessions.ts';
import type { UserKey } from '../keys.ts';

export async function createUser(
  db: Executor,
  user: { organizationId: string; email: string; firstName: string; lastName: string; role: Role },
): Promise<string> {
  const row = await db
    .insertInto('users')
    .values({
      organization_id: user.organizationId,
      email: user.email,
      first_name: user.firstName,
      last_name: user.lastName,
      role: user.role,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return row.id;
}

interface TokenUser {
  organizationId: string;
  /** A user's id or e-mail. For a new user it is stored as the e-mail. */
  subject: string;
  firstName: string;
  lastName: string;
  role: Role;
}

/** The columns that decide whether a user's token is valid, and its role. */
export type TokenUserRow = Pick<
  Selectable<UserTable>,
  'id' | 'role' | 'disabled_at' | 'tokens_not_before' | 'role_follows_token'
>;

/**
 * Finds the user of a token, or creates the user when the token is first used. Concurrent requests create one user. The role of a user whom a token
 * created becomes that of this token, until an admin has set one.
 */
export async function findOrCreateUser(db: Db, user: TokenUser): Promise<TokenUserRow> {
  const known = await findUser(db, user).executeTakeFirst();
  if (known?.role_follows_token === true && known.role !== user.role) {
    return inTransaction(db, (tx) => followToken(tx, user));
  }
  if (known !== undefined) return known;
  await db
    .insertInto('users')
    .values({
      organization_id: user.organizationId,
      email: user.subject,
      first_name: user.firstName,
      last_name: user.lastName,
      role: user.role,
      role_follows_token: true,
    })
    .onConflict((conflict) => conflict.columns(['organization_id', 'email']).doNothing())
    .execute();
  return findUser(db, user).executeTakeFirstOrThrow();
}

async function followToken(tx: Tx, user: TokenUser): Promise<TokenUserRow> {
  const { organizationId, role } = user;
  await lockRights(tx, organizationId);
  const known = await findUser(tx, user).executeTakeFirstOrThrow();
  if (!known.role_follows_token || known.role === role) return known;
  await tx
    .updateTable('users')
    .set({ role, updated_at: sql<Date>`now()` })
    .where('organization_id', '=', organizationId)
    .where('id', '=', known.id)
    .execute();
  if (lesserRole(role, known.role) === role) {
    await endSessionsOfUser(tx, { organizationId, userId: known.id });
  }
  return { ...known, role };
}

function findUser(db: Executor, { organizationId, subject }: TokenUser) {
  return (
    db
      .selectFrom('users')
      .select(['id', 'role', 'disabled_at', 'tokens_not_before', 'role_follows_token'])
      .where('organization_id', '=', organizationId)
      .where((where) =>
        where.or([where('email', '=', subject), where(sql<string>`id::text`, '=', subject.toLowerCase())]),
      )
      // An id takes precedence over an e-mail address that looks like one.
      .orderBy(sql`id::text = ${subject.toLowerCase()}`, 'desc')
      .limit(1)
  );
}

export type UserRow = Pick<UserDetails, 'id' | 'email' | 'first_name' | 'last_name' | 'role'>;

/** An organization's users with this id or e-mail address, or, without one, those of a role. Oldest first. */
export function findUsers(
  db: Executor,
  args: { organizationId: string; named?: string | undefined; roles?: readonly Role[]; limit: number },
): Promise<UserRow[]> {
  const { named, roles } = args;
  return db
    .selectFrom('users')
    .select(['id', 'email', 'first_name', 'last_name', 'role'])
    .where('organization_id', '=', args.organizationId)
    .$if(named !== undefined, (query) =>
      query.where((where) =>
        where.or([
          where('email', '=', named ?? ''),
          where(sql<string>`id::text`, '=', (named ?? '').toLowerCase()),
        ]),
      ),
    )
    .$if(roles !== undefined, (query) => query.where('role', 'in', roles ?? []))
    .orderBy('created_at')
    .limit(args.limit)
    .execute();
}

export type UserDetails = Omit<Selectable<UserTable>, 'role_follows_token'>;

const columns = [
  'id',
  'organization_id',
  'email',
  'first_name',
  'last_name',
  'role',
  'created_at',
  'updated_at',
  'disabled_at',
  'tokens_not_before',
] as const;

export function listUsers(
  db: Executor,
  { organizationId, page }: { organizationId: string; page: NewestFirst },
): Promise<Array<UserDetails & { row_instant: string }>> {
  const users = db.selectFrom('users').select(columns).where('organization_id', '=', organizationId);
  return selectNewestFirst(users, page).execute();
}

export async function findUserDetails(
  db: Executor,
  { organizationId, userId }: UserKey,
): Promise<UserDetails | null> {
  const row = await db
    .selectFrom('users')
    .select(columns)
    .where('organization_id', '=', organizationId)
    .where('id', '=', userId)
    .executeTakeFirst();
  return row ?? null;
}

interface UserChange {
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

type UpdateUserResult =
  | { kind: 'updated'; user: UserDetails }
  | { kind: 'not_found' }
  /** The organization would have no admin left. */
  | { kind: 'last_admin' };

export async function updateUser(
  tx: Tx,
  args: UserKey & {
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
      // Kysely omits undefined fields.
      email: change.email,
      first_name: change.firstName,
      last_name: change.lastName,
      ...(change.role !== undefined && { role: change.role, role_follows_token: false }),
      ...(change.disabled !== undefined && {
        disabled_at: change.disabled ? (before.disabled_at ?? now) : null,
      }),
      ...(change.revokeTokens === true && { tokens_not_before: sql<Date>`now()` }),
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
