import { noteChange } from '../audit/audit-scope.ts';
import type { Tx } from '../transaction.ts';

/** Ends one session. */
export async function endSession(
  tx: Tx,
  { organizationId, sessionId }: { organizationId: string; sessionId: string },
): Promise<void> {
  await tx
    .deleteFrom('console_sessions')
    .where('organization_id', '=', organizationId)
    .where('id', '=', sessionId)
    .execute();
  noteChange({ type: 'session', id: sessionId });
}

/** Ends all sessions of a user. Also deletes sign-in links for the user, and links that the user created for others. */
export async function endSessionsOfUser(
  tx: Tx,
  { organizationId, userId }: { organizationId: string; userId: string },
): Promise<void> {
  await tx
    .deleteFrom('console_sessions')
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', userId)
    .execute();
  await tx
    .deleteFrom('sign_in_links')
    .where('organization_id', '=', organizationId)
    .where((where) => where.or([where('user_id', '=', userId), where('created_by', '=', userId)]))
    .execute();
}
