import type { CallCap, PersonCaps } from '@outdial/core';
import { sql } from 'kysely';
import { noteChange } from '../audit/audit-scope.ts';
import type { PersonCapsJson } from '../schema/compliance.ts';
import { effectivePersonCaps } from './person-free-at.ts';
import type { Executor } from '../transaction.ts';

/** Only the named fields change; null removes a value. */
export interface PersonCapsChange {
  calls?: CallCap[] | null | undefined;
  gapSeconds?: number | null | undefined;
  afterConversationHours?: number | null | undefined;
}

/** The caps of an organization, including the defaults of its calling policy. */
export async function findPersonCaps(db: Executor, organizationId: string): Promise<PersonCaps> {
  const { rows } = await sql<{ caps: PersonCapsJson | null }>`
    select ${effectivePersonCaps(sql`${organizationId}::uuid`)} as caps`.execute(db);
  return toPersonCaps(rows[0]?.caps ?? {});
}

/**
 * Waits for open gates; later gates use the new caps and wait for the commit, so commit soon. Call `fillCalledPeople` before the transaction, or
 * it has to count all calls of a month.
 */
export async function setPersonCaps(
  tx: Executor,
  args: { organizationId: string; change: PersonCapsChange; now: Date },
): Promise<void> {
  const { organizationId, change, now } = args;
  const { calls, gapSeconds, afterConversationHours } = change;
  const caps: PersonCapsJson = {
    ...(calls !== undefined && { calls }),
    ...(gapSeconds !== undefined && { gap_seconds: gapSeconds }),
    ...(afterConversationHours !== undefined && { after_conversation_hours: afterConversationHours }),
  };
  if (Object.keys(caps).length === 0) return;
  const before = await findPersonCaps(tx, organizationId);
  await sql`
    insert into person_caps as p (organization_id, caps, updated_at)
    values (${organizationId}, ${JSON.stringify(caps)}::jsonb, ${now})
    on conflict (organization_id) do update set caps = p.caps || excluded.caps, updated_at = excluded.updated_at`.execute(
    tx,
  );
  const after = await findPersonCaps(tx, organizationId);
  noteChange({
    type: 'organization',
    id: organizationId,
    before: { person_caps: before },
    after: { person_caps: after },
  });
}

export function toPersonCaps(json: PersonCapsJson): PersonCaps {
  return {
    calls: json.calls ?? [],
    gapSeconds: json.gap_seconds ?? null,
    afterConversationHours: json.after_conversation_hours ?? null,
  };
}
