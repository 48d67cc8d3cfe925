import { noteChange } from '../audit/index.ts';
import type { Tx } from '../transaction.ts';

/** Signs out. */
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

/** Signs a user out everywhere, and makes the links that would sign them in again useless. */
export async function endSessionsOfUser(
  tx: Tx,
  { organizationId, userId }: { organizationId: string; userId: string },
): Promise<void> {
  for (const table of ['console_sessions', 'sign_in_links'] as const) {
    await tx
      .deleteFrom(table)
      .where('organization_id', '=', organizationId)
      .where('user_id', '=', userId)
      .execute();
  }
}
