import { type Kysely, sql, type Transaction } from 'kysely';
import { locks } from '../locks.ts';
import { deferred } from '../postgres/deferred.ts';
import { postgresCode } from '../postgres/error-code.ts';
import type { Database } from '../schema/index.ts';
import type { Role } from '../schema/organizations.ts';
import type { UserKey } from '../keys.ts';

/** The right of a user to a change, as it was judged when the request began. */
export interface Rights extends UserKey {
  credential: { type: 'api_key' | 'token' | 'session'; id: string | null; issuedAt?: Date | undefined };
  role: Role;
  allowed: readonly Role[];
  now: Date;
  /**
   * For a change that grants something: no right of the organization is taken away until it has been committed. `take` for a change that takes rights
   * away: it waits for those that grant something, and later ones see it.
   */
  locks: 'share' | 'take' | null;
}

export type LostRights = 'credential' | 'role';

/**
 * Judges the rights again, first in the transaction: a body may arrive long after its credential was checked. Sent together with the first statement,
 * which fails if they are lost (`lostRights`).
 */
export async function requireRights(tx: Transaction<Database>, rights: Rights): Promise<void> {
  const { organizationId, userId, credential, role, allowed, now } = rights;
  // A statement of its own, so that the next one sees what was committed while it waited.
  if (rights.locks !== null) {
    await deferred(sql`select ${locks.rights[rights.locks](organizationId)}`, tx);
  }
  await deferred(
    sql`select require_rights(${organizationId}::uuid, ${userId}::uuid, ${credential.type}::text, ${credential.id}::text,
      ${credential.issuedAt ?? null}::timestamptz, ${role}::text, ${allowed}::text[], ${now}::timestamptz)`,
    tx,
  );
}

/** Null for every other error. `db/migrations/0002_organizations.ts` raises the codes. */
export function lostRights(error: unknown): LostRights | null {
  switch (postgresCode(error)) {
    case 'OD401':
      return 'credential';
    case 'OD403':
      return 'role';
    default:
      return null;
  }
}

/** Takes the lock of `locks: 'take'` until the end of the transaction. */
export async function lockRights(db: Kysely<Database>, organizationId: string): Promise<void> {
  await sql`select ${locks.rights.take(organizationId)}`.execute(db);
}
