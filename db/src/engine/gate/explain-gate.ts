import { sql } from 'kysely';
import type { PersonCheckJson } from '../../schema/compliance.ts';
import type { Executor } from '../../transaction.ts';
import { checkOfClaim, claimRow, claimTables, clockAndCaps } from './claim-row.ts';
import { noCallerIds } from './caller-ids-of-gate.ts';
import { gateConditions, passes, refusalOf, type GateReason } from './conditions.ts';
import { gateRow } from './gate-row.ts';
import { type GateClaim, type GateTerms, valuesOf } from './gate-terms.ts';

export interface GateVerdict {
  now: Date;
  /** The first condition that does not hold; null if all do. */
  refusal: GateReason | null;
  holds: Record<GateReason, boolean>;
  consentId: string | null;
  personFreeAt: Date | null;
  personCheck: PersonCheckJson | null;
  /** When each scrub list that the campaign requires was last scrubbed. */
  scrubCheck: Record<string, string | null> | null;
  /** Calls left in the quota of the day; null without one. */
  callsLeft: number | null;
  isPaced: boolean;
}

export type ExplainedTerms = Pick<
  GateTerms,
  | 'organizationId'
  | 'campaignId'
  | 'revision'
  | 'windows'
  | 'policy'
  | 'purpose'
  | 'consent'
  | 'scrubLists'
  | 'isPaced'
>;

const nilUuid = '00000000-0000-0000-0000-000000000000';

/**
 * Checks every condition of the gate for a recipient as if it were claimed now, so that the conditions on lease, slot and caller id hold. Read-only
 * without locks. Null if the recipient does not exist.
 */
export async function explainGate(
  db: Executor,
  terms: ExplainedTerms,
  { recipientId, isAllowedDestination }: Pick<GateClaim, 'recipientId' | 'isAllowedDestination'>,
): Promise<GateVerdict | null> {
  const values = valuesOf(
    {
      ...terms,
      personCaps: null,
      agentId: nilUuid,
      promptId: '0',
      promptParams: {},
      fromPhone: null,
      needsCallerId: false,
      createdBy: nilUuid,
      lookUpGraceMs: 0,
    },
    [{ recipientId, claimId: nilUuid, attempt: 0, isAllowedDestination }],
  );
  const asClaimed = claimRow(values, noCallerIds);
  const row = gateRow({
    ...asClaimed,
    is_live: sql`r.state in ('pending', 'claimed')`,
    // The gate would create the person's row in the ledger.
    person_free_at: sql`case when person.phone_number is not null then ${asClaimed.person_free_at} end`,
    lease_expires_at: sql`null::timestamptz`,
    is_paced: sql`false`,
    slot_at: sql`null::timestamptz`,
  });
  const verdicts = gateConditions.map(
    (condition) => sql`${sql.lit(condition.reason)}, coalesce((${passes(condition)}), false)`,
  );
  const { rows } = await sql<GateVerdict>`
    with ${clockAndCaps(values)},
    g as materialized (
      select ${checkOfClaim} as person_check, scrubs.said as scrub_check, ${asClaimed.is_paced} as has_pace, ${row}
      from ${claimTables(values, noCallerIds)} where r.id is not null)
    select g.now, ${refusalOf(gateConditions)} as refusal, jsonb_build_object(${sql.join(verdicts)}) as holds,
      g.consent_id as "consentId", g.person_free_at as "personFreeAt", g.person_check as "personCheck", g.scrub_check as "scrubCheck",
      g.calls_left as "callsLeft", g.has_pace as "isPaced"
    from g`.execute(db);
  return rows[0] ?? null;
}
