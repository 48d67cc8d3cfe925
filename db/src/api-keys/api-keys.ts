import { hash, randomBytes } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import { noteChange } from '../audit/audit-scope.ts';
import type { ApiKeyTable, Role } from '../schema/organizations.ts';
import { unlessReadOnly } from '../postgres/error-code.ts';
import type { Executor, Tx } from '../transaction.ts';
import { lesserRole } from '../connect.ts';
import { type NewestFirst, selectNewestFirst } from '../lists/newest-first.ts';
import { lockRights } from '../audit/rights.ts';

const keyPrefix = 'od_';
/** Enough to tell keys apart in a list, but too few to guess one. */
const shownCharacters = 9;

/** Creates a key of 256 random bits. Only the caller gets the key; the table has its SHA-256. */
export async function createApiKey(
  db: Executor,
  key: { organizationId: string; userId: string; name: string; role: Role; expiresAt?: Date | null },
): Promise<{ id: string; key: string }> {
  const text = keyPrefix + randomBytes(32).toString('base64url');
  const row = await db
    .insertInto('api_keys')
    .values({
      organization_id: key.organizationId,
      user_id: key.userId,
      name: key.name,
      role: key.role,
      prefix: text.slice(0, shownCharacters),
      key_hash: hashApiKey(text),
      expires_at: key.expiresAt ?? null,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  noteChange({
    type: 'api_key',
    id: row.id,
    after: { name: key.name, role: key.role, user_id: key.userId, expires_at: key.expiresAt ?? null },
  });
  return { id: row.id, key: text };
}

export function hashApiKey(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}

/** The caller checks whether the key is still valid. */
export interface ApiKeyIdentity {
  id: string;
  organizationId: string;
  userId: string;
  /** The lesser of the key's role and its user's current role. */
  role: Role;
  expiresAt: Date | null;
  revokedAt: Date | null;
  lastUsedAt: Date | null;
  userDisabledAt: Date | null;
}

/** Authenticates, so the organization is part of the result. */
export async function findApiKey(db: Executor, keyHash: Buffer): Promise<ApiKeyIdentity | null> {
  const row = await db
    .selectFrom('api_keys as k')
    .innerJoin('users as u', (join) =>
      join.onRef('u.organization_id', '=', 'k.organization_id').onRef('u.id', '=', 'k.user_id'),
    )
    .select([
      'k.id',
      'k.organization_id as organizationId',
      'k.user_id as userId',
      'k.role',
      'u.role as userRole',
      'k.expires_at as expiresAt',
      'k.revoked_at as revokedAt',
      'k.last_used_at as lastUsedAt',
      'u.disabled_at as userDisabledAt',
    ])
    .where('k.key_hash', '=', keyHash)
    .executeTakeFirst();
  if (row === undefined) return null;
  const { userRole, ...key } = row;
  return { ...key, role: lesserRole(key.role, userRole) };
}

/** Records the use of a key, at most once per `everyMs` over all processes. */
export async function touchApiKey(
  db: Executor,
  touch: { organizationId: string; id: string; now: Date; everyMs: number },
): Promise<void> {
  await unlessReadOnly(
    db
      .updateTable('api_keys')
      .set({ last_used_at: touch.now })
      .where('organization_id', '=', touch.organizationId)
      .where('id', '=', touch.id)
      .where((where) =>
        where.or([
          where('last_used_at', 'is', null),
          where('last_used_at', '<=', new Date(touch.now.getTime() - touch.everyMs)),
        ]),
      )
      .execute(),
  );
}

export type ListedApiKey = Omit<Selectable<ApiKeyTable>, 'key_hash' | 'original_expires_at'>;

const columns = [
  'id',
  'organization_id',
  'user_id',
  'name',
  'prefix',
  'role',
  'expires_at',
  'revoked_at',
  'last_used_at',
  'created_at',
] as const;

export function listApiKeys(
  db: Executor,
  { organizationId, page }: { organizationId: string; page: NewestFirst },
): Promise<Array<ListedApiKey & { row_instant: string }>> {
  const keys = db.selectFrom('api_keys').select(columns).where('organization_id', '=', organizationId);
  return selectNewestFirst(keys, page).execute();
}

export async function findListedApiKey(
  db: Executor,
  { organizationId, id }: { organizationId: string; id: string },
): Promise<ListedApiKey | null> {
  const row = await db
    .selectFrom('api_keys')
    .select(columns)
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row ?? null;
}

/** False if the key does not exist. A repeated revocation keeps the first instant. */
export async function revokeApiKey(
  db: Executor,
  revocation: { organizationId: string; id: string; now: Date },
): Promise<boolean> {
  await lockRights(db, revocation.organizationId);
  const result = await db
    .updateTable('api_keys')
    .set((set) => ({ revoked_at: set.fn.coalesce('revoked_at', set.val(revocation.now)) }))
    .where('organization_id', '=', revocation.organizationId)
    .where('id', '=', revocation.id)
    .executeTakeFirst();
  const known = result.numUpdatedRows > 0n;
  if (known) noteChange({ type: 'api_key', id: revocation.id, after: { revoked: true } });
  return known;
}

type RotateApiKeyResult =
  | { kind: 'rotated'; id: string; key: string; previousExpiresAt: Date }
  | { kind: 'not_found' }
  /** The key was revoked or has expired. */
  | { kind: 'over' };

/** Creates a key with the user, role, name and lifetime of the previous key. The previous key expires after the overlap, or earlier if it would have anyway. */
export async function rotateApiKey(
  tx: Tx,
  args: { organizationId: string; id: string; overlapSeconds: number; now: Date },
): Promise<RotateApiKeyResult> {
  const { organizationId, id, overlapSeconds, now } = args;
  const before = await tx
    .selectFrom('api_keys')
    .select(['user_id', 'name', 'role', 'expires_at', 'revoked_at', 'created_at'])
    .select(
      sql<Date | null>`nullif(coalesce(original_expires_at, expires_at), 'infinity')`.as('lasting_until'),
    )
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (before === undefined) return { kind: 'not_found' };
  if (before.revoked_at !== null || (before.expires_at !== null && before.expires_at <= now)) {
    return { kind: 'over' };
  }
  const { lasting_until: until, created_at: from } = before;
  const lifeMs = until === null ? null : until.getTime() - from.getTime();
  const made = await createApiKey(tx, {
    organizationId,
    userId: before.user_id,
    name: before.name,
    role: before.role,
    expiresAt: lifeMs === null ? null : new Date(now.getTime() + lifeMs),
  });
  const endOfOverlap = new Date(now.getTime() + overlapSeconds * 1_000);
  const previousExpiresAt =
    before.expires_at !== null && before.expires_at < endOfOverlap ? before.expires_at : endOfOverlap;
  await tx
    .updateTable('api_keys')
    .set({
      expires_at: previousExpiresAt,
      original_expires_at: sql`coalesce(original_expires_at, expires_at, 'infinity')`,
    })
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .execute();
  noteChange({
    type: 'api_key',
    id,
    before: { expires_at: before.expires_at },
    after: { expires_at: previousExpiresAt, rotated_to: made.id },
  });
  return { kind: 'rotated', ...made, previousExpiresAt };
}
