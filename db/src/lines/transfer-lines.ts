import type { CallingPolicy } from '@outdial/core';
import { sql } from 'kysely';
import { applyRules, faultOfRules, rulesInForce } from '../compliance/rule-versions.ts';
import type { Executor, Tx } from '../transaction.ts';
import type { CallKey } from '../keys.ts';

/** What decides whether a target may be called at this hour. Has this process apply the rules in force. */
export async function findTransferTarget(
  db: Executor,
  { organizationId, toPhone }: { organizationId: string; toPhone: string },
) {
  const { rows } = await sql<{
    callingPolicy: CallingPolicy;
    /** The number is a caller id of the organization that the operator has confirmed. */
    isOwn: boolean;
    now: Date;
    rulesVersion: number;
  }>`
    select o.calling_policy as "callingPolicy", engine_now() as now, ${rulesInForce} as "rulesVersion",
      exists (select from caller_ids where organization_id = o.id and phone_number = ${toPhone} and state in ('active', 'resting')) as "isOwn"
    from organizations o where o.id = ${organizationId}`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error('a call belongs to an organization');
  const { rulesVersion, ...target } = row;
  await applyRules(db, rulesVersion);
  return { ...target, rulesFault: faultOfRules(rulesVersion) };
}

/** Locks a call in progress for a transfer; null if it is over. Lock the caps of lines first (line-caps.ts). */
export async function lockCallForTransfer(
  tx: Tx,
  { organizationId, callId }: CallKey,
): Promise<{ provider: string; hasLine: boolean; transfers: number } | null> {
  const { rows } = await sql<{ provider: string; hasLine: boolean; transfers: number }>`
    select provider, transfer_line as "hasLine", transfers from calls
    where organization_id = ${organizationId} and id = ${callId} and line_held
    for no key update`.execute(tx);
  return rows[0] ?? null;
}

export async function countTransfer(tx: Tx, callId: string): Promise<void> {
  await sql`update calls set transfers = transfers + 1, transfer_line = true where id = ${callId}`.execute(
    tx,
  );
}

export async function dropTransferLine(tx: Tx, callId: string): Promise<void> {
  await sql`update calls set transfer_line = false where id = ${callId}`.execute(tx);
}
